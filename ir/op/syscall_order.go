package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// What comes when.
var (
	// Any1 is whichever of its inputs comes first. The operator is called Any.
	Any1 = first("Any", []Port{{Name: "values", Variadic: true, Mixed: true, Min: 1}}, []Port{{Name: "first"}}, gives(oneOf)).Op

	// DeadlineMatch is input 0 if it comes within "deadline_ns" nanoseconds of the
	// execution's beginning on the peer, else input 1, which is there already; and
	// whether it came.
	DeadlineMatch = first("DeadlineMatch",
		[]Port{{Name: "value"}, {Name: "otherwise"}}, []Port{{Name: "matched"}, {Name: "in_time", Optional: true}},
		gives(oneOf, giveScalar(tensor.Bool)), Attr{Name: "deadline_ns", Kind: Int, Arg: true}).Op

	// Gate passes its first input on when the others have come.
	Gate = order("Gate",
		[]Port{{Name: "value"}, {Name: "after_these", Variadic: true, Mixed: true, Min: 1}}, []Port{{Name: "value"}},
		gives(asInput(0))).Op

	// GateDispatch is a trigger when all of its inputs have come.
	GateDispatch = order("GateDispatch",
		[]Port{{Name: "values", Variadic: true, Mixed: true, Min: 1}}, []Port{{Name: "come", Types: aTrigger}},
		gives(triggered)).Op

	// OnTrigger passes a trigger on.
	OnTrigger = same("OnTrigger", []Port{{Name: "value", Types: aTrigger}}, gives(asInput(0))).Op

	// PassThrough passes a value on.
	PassThrough = same("PassThrough", []Port{{Name: "value"}}, gives(asInput(0))).Op

	// Tee passes a value on under several names.
	Tee = same("Tee", []Port{{Name: "value"}}, gives(asInput(0))).Op
)

func first(name string, in, out []Port, infer func(*Infer) error, attrs ...Attr) row {
	o := service(name, in, out, infer, attrs...).as(KindFirst)
	o.Effect, o.Peer.Method = false, ""
	return o
}

// oneOf gives the type that all inputs have, sizes that differ being open.
func oneOf(c *Infer, _ int) (ir.Type, error) {
	t := c.Type(0)
	for i := range c.In {
		u := c.Type(i)
		if u.Kind != t.Kind || u.Elem != t.Elem || u.Ranked != t.Ranked || len(u.Shape) != len(t.Shape) || u.Name != t.Name {
			return t, fmt.Errorf("inputs are %s and %s, want one type", t, u)
		}
	}
	if t.Kind != ir.Tensor {
		return t, nil
	}
	shape := append([]ir.Dim(nil), t.Shape...)
	for k := range shape {
		for i := range c.In {
			if !c.Type(i).Shape[k].Equal(t.Shape[k]) {
				shape[k] = c.Fresh("n")
				break
			}
		}
	}
	t.Shape = shape
	return t, nil
}

// same is an operator whose outputs are its input: expansion does away with it.
func same(name string, in []Port, infer func(*Infer) error) row {
	o := order(name, in, []Port{{Name: "value", Variadic: true, Min: 1}}, infer)
	o.Peer = nil
	o.Expand = func(_ *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
		out := make([]*ir.Value, len(n.Out))
		for i := range out {
			out[i] = n.In[0]
		}
		return out, nil
	}
	return o
}
