package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Agree returns the size of an axis of input i, which must equal want. If one of them is constant, it returns
// that. If neither is known, they are compared at run time.
func (c *Infer) Agree(i, axis int, want ir.Dim) (ir.Dim, error) {
	v := c.In[i]
	got := Shape(v)[axis]
	if !MayEqual(got, want) {
		return got, fmt.Errorf("input %q has %s elements along axis %d, want %s", v.Name, got, axis, want)
	}
	c.Assume(AgreeAxis(v, axis, want))
	if _, ok := got.Const(); ok {
		return got, nil
	}
	return want, nil
}

// Assume records sizes that inference assumes to be equal. They are compared at run time.
func (c *Infer) Assume(a ...Agreement) { c.open = append(c.open, a...) }

// AgreeShape is like [Infer.Agree], for all axes of an input.
func (c *Infer) AgreeShape(i int, shape []ir.Dim) error {
	for axis, want := range shape {
		if _, err := c.Agree(i, axis, want); err != nil {
			return err
		}
	}
	return nil
}

// BroadcastsInto returns an error unless an input broadcasts to a shape without changing the shape. Sizes that are not
// known are compared at run time.
func (c *Infer) BroadcastsInto(i int, shape []ir.Dim) error {
	v := c.In[i]
	s := Shape(v)
	bad := len(s) > len(shape)
	for k := 0; k < len(s) && !bad; k++ {
		want := shape[len(shape)-len(s)+k]
		bad = !s[k].Is(1) && !MayEqual(s[k], want)
		a := AgreeAxis(v, k, want)
		a.Broadcasts = true
		c.Assume(a)
	}
	if bad {
		return fmt.Errorf("input %q has shape %v, which does not broadcast to %v", v.Name, s, shape)
	}
	return nil
}

// inferred lists the sizes that inference assumed to be equal for the node. It infers a copy of the node with
// new values.
func (o *Op) inferred(n *ir.Node) ([]Agreement, error) {
	if o.Infer == nil {
		return nil, nil
	}
	again := *n
	again.In = make([]*ir.Value, len(n.In))
	for i, v := range n.In {
		if v != nil {
			x := *v
			again.In[i] = &x
		}
	}
	again.Out = make([]*ir.Value, len(n.Out))
	for i, v := range n.Out {
		if v != nil {
			again.Out[i] = &ir.Value{Name: v.Name, Type: v.Type}
		}
	}
	m := &ir.Module{Main: &ir.Func{Body: &ir.Region{}}}
	c := &Infer{Node: &again, Module: m}
	if err := o.Infer(c); err != nil {
		return nil, err // what it reads has become constant since, and is wrong
	}
	return slices.DeleteFunc(c.open, func(a Agreement) bool { return m.FromData(a.Got) || m.FromData(a.Want) }), nil // symbols of this copy only
}

// agreements returns the agreements of a node that are not known to hold.
func (o *Op) agreements(n *ir.Node) ([]Agreement, error) {
	all, err := o.inferred(n)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Agree != nil:
		all = append(all, o.Agree(n)...)
	case o.Alias && isTensor(n.Arg(X)) && isTensor(n.Res(0)):
		all = append(all, Agreement{What: elementsOf(n.In[X]), Got: Len(n.In[X]), Want: Len(n.Out[0])})
	}
	return slices.DeleteFunc(all, Agreement.known), nil
}
