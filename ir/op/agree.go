package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Agreement is a pair of sizes that must be equal. Inference rejects constants that differ; symbols are
// checked at run time.
type Agreement struct {
	What       string // such as: the columns of "x"
	Got, Want  ir.Dim
	Broadcasts bool // Got may also be 1
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

// known reports whether inference has established that the sizes are equal.
func (a Agreement) known() bool {
	_, got := a.Got.Const()
	_, want := a.Want.Const()
	return got && want || a.Got.Equal(a.Want) || a.Broadcasts && a.Got.Is(1)
}

func isTensor(v *ir.Value) bool { return v != nil && v.Type.Kind == ir.Tensor && v.Type.Known() }

func elementsOf(v *ir.Value) string { return fmt.Sprintf("the elements of %q", v.Name) }

// Lowered returns the calls of a node: those of [Op.Lower], and checks of the sizes that they rely on.
func (o *Op) Lowered(n *ir.Node) (*Lowering, error) {
	if o.Defined(n) {
		return nil, fmt.Errorf("BUG: is lowered before its definition has taken its place")
	}
	l := &Lowering{Node: n}
	if !o.Alias {
		if err := l.check(o); err != nil {
			return nil, err
		}
	}
	if o.Lower != nil {
		if err := o.Lower(l); err != nil {
			return nil, err
		}
	}
	l.room()
	if o.Alias { // the calls may compute the sizes
		if err := l.check(o); err != nil {
			return nil, err
		}
	}
	l.decimals()
	return l, nil
}

// checkEqual and checkBroadcast are the kernels that compare two sizes.
const (
	checkEqual     = "CheckEqual"
	checkBroadcast = "CheckBroadcast"
)

func (l *Lowering) check(o *Op) error {
	all, err := o.agreements(l.Node)
	for _, a := range append(all, leftOver(l.Node)...) {
		kernel := checkEqual
		if a.Broadcasts {
			kernel = checkBroadcast
		}
		l.Call(kernel, a.What, a.Got, a.Want)
	}
	return err
}

// leftOver requires that no output has a negative size, as it would if a kernel is larger than the image.
func leftOver(n *ir.Node) []Agreement {
	var out []Agreement
	for _, v := range n.Out {
		if v == nil || v.Type.Kind != ir.Tensor {
			continue
		}
		for axis, d := range Shape(v) {
			if !NonNegative(d) && !hasSize(n.In, d) {
				out = append(out, Agreement{What: fmt.Sprintf("the elements of %q along axis %d", v.Name, axis), Got: d, Want: d.Max(ir.C(0))})
			}
		}
	}
	return out
}

// hasSize reports whether one of the values has an axis of size d.
func hasSize(vs []*ir.Value, d ir.Dim) bool {
	for _, v := range vs {
		if v != nil && v.Type.Kind == ir.Tensor && slices.ContainsFunc(Shape(v), d.Equal) {
			return true
		}
	}
	return false
}

// AgreeAxis requires that axis k of v has want elements.
func AgreeAxis(v *ir.Value, k int, want ir.Dim) Agreement {
	return Agreement{What: fmt.Sprintf("the elements of %q along axis %d", v.Name, k), Got: Shape(v)[k], Want: want}
}
