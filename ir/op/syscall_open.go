package op

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// What begins executions.
var (
	// Pulse is there once, when the peer runs.
	Pulse = opener("Pulse", OpensAtStart, []Port{{Name: "begun", Types: aTrigger}}, gives(triggered)).Op

	// BootstrapDispatch is there before anything else is let in.
	BootstrapDispatch = opener("BootstrapDispatch", OpensBootstrap, []Port{{Name: "begun", Types: aTrigger}}, gives(triggered)).Op

	// Interval is there every "period_ns" nanoseconds.
	Interval = opener("Interval", OpensEvery,
		[]Port{{Name: "begun", Types: aTrigger}},
		gives(triggered), Attr{Name: "period_ns", Kind: Int, Default: 0, Arg: true}).Op

	// EventSource is there for each event of the engine of the kind "kind", with the
	// peer that the event is about.
	EventSource = opener("EventSource", OpensOnEvent,
		[]Port{{Name: "begun", Types: aTrigger}, {Name: "about", Types: aPeer, Optional: true}},
		gives(triggered, a(Peer1)), Attr{Name: "kind", Kind: String, Arg: true}).Op

	// LifecyclePhase is there when the node's life comes to "phase".
	LifecyclePhase = opener("LifecyclePhase", OpensOnPhase,
		[]Port{{Name: "begun", Types: aTrigger}},
		gives(triggered), Attr{Name: "phase", Kind: String, Arg: true}).Op

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
		[]Port{{Name: "until", Types: rank0(tensor.Bool), Optional: true}, {Name: "carried", Variadic: true, Mixed: true}}, []Port{{Name: "done", Optional: true}},
		inferNext, Attr{Name: NameAttr, Kind: String}).as(KindNext).Op
)

// ShortRounds is what may follow a round that has no quorum: the next one, the same, or
// that it waits.
var ShortRounds = []string{"skip", "repeat", "wait"}

func roundsOp() row {
	o := opener("Rounds", OpensRounds, []Port{{Name: "round"}, {Name: "carried", Variadic: true, Mixed: true}}, inferRounds,
		Attr{Name: NameAttr, Kind: String}, Attr{Name: "n", Kind: Int, Arg: true}, Attr{Name: "short", Kind: String, Arg: true}, Attr{Name: "patience", Kind: Int, Arg: true})
	o.Inputs = []Port{{Name: "carried", Variadic: true, Mixed: true}}
	return o
}

func inferRounds(c *Infer) error {
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

func inferNext(c *Infer) error {
	if until := c.Arg(0); until != nil && !rank0(tensor.Bool).ok(until.Type) {
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
