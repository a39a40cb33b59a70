package peer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// What begins executions.
var (
	// Pulse is there once, when the peer runs.
	Pulse = opener("Pulse", op.OpensAtStart, []op.Port{{Name: "begun", Types: aTrigger}}, gives(triggered)).Op

	// BootstrapDispatch is there before anything else is let in.
	BootstrapDispatch = opener("BootstrapDispatch", op.OpensBootstrap, []op.Port{{Name: "begun", Types: aTrigger}}, gives(triggered)).Op

	// Interval is there every "period_ns" nanoseconds.
	Interval = opener("Interval", op.OpensEvery,
		[]op.Port{{Name: "begun", Types: aTrigger}},
		gives(triggered), op.Attr{Name: "period_ns", Kind: op.Int, Default: 0, Arg: true}).Op

	// EventSource is there for each event of the engine of the kind "kind", with the
	// peer that the event is about.
	EventSource = opener("EventSource", op.OpensOnEvent,
		[]op.Port{{Name: "begun", Types: aTrigger}, {Name: "about", Types: aPeer, Optional: true}},
		gives(triggered, a(Peer1)), op.Attr{Name: "kind", Kind: op.String, Arg: true}).Op

	// LifecyclePhase is there when the node's life comes to "phase".
	LifecyclePhase = opener("LifecyclePhase", op.OpensOnPhase,
		[]op.Port{{Name: "begun", Types: aTrigger}},
		gives(triggered), op.Attr{Name: "phase", Kind: op.String, Arg: true}).Op

	// Rounds is a loop of executions, "n" of them: output 0 is the number of the
	// round, from 0; output k is what round 0 has of input k-1, and later ones of the
	// same input of the [Next] that ended the round before. "short" says what follows
	// a round that has no quorum: one of [ShortRounds], nothing without it. One that waits
	// does so for "patience" ns, or for ever without it.
	Rounds = roundsOp().Op

	// Next begins the next round of the [Rounds] of its "name" when all else of the
	// round is done. Its inputs after the first are what the round carries over; the
	// first, if it is there, ends the loop when it is true.
	Next = service("Next",
		[]op.Port{{Name: "until", Types: rank0(tensor.Bool), Optional: true}, {Name: "carried", Variadic: true, Mixed: true}}, []op.Port{{Name: "done", Optional: true}},
		inferNext, op.Attr{Name: NameAttr, Kind: op.String}).as(op.KindNext).Op
)

// ShortRounds is what may follow a round that has no quorum: the next one, the same, or
// that it waits.
var ShortRounds = []string{"skip", "repeat", "wait"}

func roundsOp() row {
	o := opener("Rounds", op.OpensRounds, []op.Port{{Name: "round"}, {Name: "carried", Variadic: true, Mixed: true}}, inferRounds,
		op.Attr{Name: NameAttr, Kind: op.String}, op.Attr{Name: "n", Kind: op.Int, Arg: true}, op.Attr{Name: "short", Kind: op.String, Arg: true}, op.Attr{Name: "patience", Kind: op.Int, Arg: true})
	o.Inputs = []op.Port{{Name: "carried", Variadic: true, Mixed: true}}
	return o
}

func inferRounds(c *op.Infer) error {
	if c.Int("n") < 1 {
		return fmt.Errorf("attribute %q is %d, want 1 or more", "n", c.Int("n"))
	}
	if s := c.Str("short"); s != "" && !slices.Contains(ShortRounds, s) {
		return fmt.Errorf("attribute %q is %q, want one of %q", "short", s, ShortRounds)
	}
	if c.Node.Has("patience") && (c.Int("patience") < 1 || c.Str("short") != "wait") {
		return fmt.Errorf("attribute %q is %d and %q is %q, want 1 or more for a round that waits", "patience", c.Int("patience"), "short", c.Str("short"))
	}
	if len(c.Node.Out) != len(c.In)+1 {
		return fmt.Errorf("has %d inputs and %d outputs, want one output more", len(c.In), len(c.Node.Out))
	}
	c.OutTensor(0, tensor.Int64)
	for i := range c.In {
		c.Out(i+1, opened(c, c.Type(i)))
	}
	return nil
}

func inferNext(c *op.Infer) error {
	if until := c.Arg(0); until != nil && !rank0(tensor.Bool).Holds(until.Type) {
		return fmt.Errorf("input %q is %s, want bool[]", until.Name, until.Type)
	}
	for i, v := range c.In {
		if v == nil && i > 0 {
			return errors.New("a carried value is missing")
		}
	}
	c.Out(0, Trigger)
	return nil
}
