package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/target"
)

// Lowered returns the calls of a node for a target: those of [Op.Lower], and checks of the sizes that they rely on. A nil target
// is [target.Default].
func (o *Op) Lowered(n *ir.Node, t *target.Target) (*Lowering, error) {
	if o.Defined(n) {
		return nil, fmt.Errorf("BUG: is lowered before its definition has taken its place")
	}
	l := &Lowering{Node: n, Target: target.Or(t)}
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
