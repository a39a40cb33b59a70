package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// What comes when.
var (
	// Any1 is whichever of its inputs comes first. The operator is called Any.
	Any1 = first("Any", Arity{1, Any}, One, takes([]want{anything}, oneOf))

	// DeadlineMatch is input 0 if it comes within "deadline_ns" nanoseconds of the
	// execution's beginning on the peer, else input 1, which is there already; and
	// whether it came.
	DeadlineMatch = first("DeadlineMatch", Two, Arity{1, 2}, takes([]want{anything}, oneOf, giveScalar(tensor.Bool)), "deadline_ns")

	// Gate passes its first input on when the others have come.
	Gate = order("Gate", Arity{2, Any}, One, takes([]want{anything}, asInput(0)))

	// GateDispatch is a trigger when all of its inputs have come.
	GateDispatch = order("GateDispatch", Arity{1, Any}, One, takes([]want{anything}, triggered))

	// OnTrigger passes a trigger on.
	OnTrigger = same("OnTrigger", takes(triggers, asInput(0)))

	// PassThrough passes a value on.
	PassThrough = same("PassThrough", takes([]want{anything}, asInput(0)))

	// Tee passes a value on under several names.
	Tee = same("Tee", takes([]want{anything}, asInput(0)))
)

func first(name string, in, out Arity, infer func(*Infer) error, config ...string) *Op {
	o := service(name, in, out, infer, config...).as(KindFirst)
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
func same(name string, infer func(*Infer) error) *Op {
	o := order(name, One, Arity{1, Any}, infer)
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
