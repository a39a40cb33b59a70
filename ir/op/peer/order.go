package peer

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Operators that order other operators.
var (
	// Any1 returns the input that comes first. The operator is called Any.
	Any1 = first("Any", []op.Port{{Name: "values", Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "first"}}, gives(oneOf)).Op

	// DeadlineMatch returns input 0 if it comes within "deadline_ns" nanoseconds of the beginning of the
	// execution on the peer, and otherwise input 1, which must be present; its second output reports which.
	DeadlineMatch = first("DeadlineMatch",
		[]op.Port{{Name: "value"}, {Name: "otherwise"}}, []op.Port{{Name: "matched"}, {Name: "in_time", Optional: true}},
		gives(oneOf, giveScalar(tensor.Bool)), op.Attr{Name: "deadline_ns", Kind: op.Int, Arg: true}).Op

	// Gate returns its first input when the others are present.
	Gate = order("Gate",
		[]op.Port{{Name: "value"}, {Name: "after_these", Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "value"}},
		gives(asInput(0))).Op

	// GateDispatch is a trigger that fires when all of its inputs are present.
	GateDispatch = order("GateDispatch",
		[]op.Port{{Name: "values", Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "come", Types: aTrigger}},
		gives(triggered)).Op

	// OnTrigger returns a trigger.
	OnTrigger = same("OnTrigger", []op.Port{{Name: "value", Types: aTrigger}}, gives(asInput(0))).Op

	// PassThrough returns a value.
	PassThrough = same("PassThrough", []op.Port{{Name: "value"}}, gives(ranked)).Op

	// Tee returns a value several times.
	Tee = same("Tee", []op.Port{{Name: "value"}}, gives(ranked)).Op
)

func first(name string, in, out []op.Port, infer func(*op.Infer) error, attrs ...op.Attr) row {
	o := service(name, in, out, infer, attrs...).as(op.KindFirst)
	o.Effect, o.Peer.Method = false, ""
	return o
}

// oneOf returns the type that all inputs have, with unknown sizes where they differ.
func oneOf(c *op.Infer, _ int) (ir.Type, error) {
	t := c.Type(op.X)
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

// same returns an operator that returns its input. Expansion removes it.
func same(name string, in []op.Port, infer func(*op.Infer) error) row {
	o := order(name, in, []op.Port{{Name: "value", Variadic: true, Min: 1}}, infer)
	o.Peer = nil
	o.Expand = func(_ *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
		out := make([]*ir.Value, len(n.Out))
		for i := range out {
			out[i] = n.In[op.X]
		}
		return out, nil
	}
	return o
}

// ranked returns the type of the first input, of which the number of axes must be known.
func ranked(c *op.Infer, _ int) (ir.Type, error) {
	t := c.Type(op.X)
	if t.Kind == ir.Tensor && !t.Known() {
		return t, fmt.Errorf("%q is %s, of unknown shape: give its type where it comes from", c.Arg(op.X).Name, t)
	}
	return t, nil
}
