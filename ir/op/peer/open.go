package peer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Operators that start executions.
var (
	// Pulse is a trigger that fires once, when the peer starts.
	Pulse = opener("Pulse", op.OpensAtStart, []op.Port{{Name: "begun", Types: aTrigger}}, gives(triggered)).Op

	// BootstrapDispatch is a trigger that fires once, before the peer accepts input.
	BootstrapDispatch = opener("BootstrapDispatch", op.OpensBootstrap, []op.Port{{Name: "begun", Types: aTrigger}}, gives(triggered)).Op

	// Interval is a trigger that fires every "period_ns" nanoseconds.
	Interval = opener("Interval", op.OpensEvery,
		[]op.Port{{Name: "begun", Types: aTrigger}},
		gives(triggered), op.Attr{Name: "period_ns", Kind: op.Int, Default: 0, Arg: true}).Op

	// EventSource is a trigger that fires for each event of the engine of the kind "kind", together with the
	// peer that the event is about.
	EventSource = opener("EventSource", op.OpensOnEvent,
		[]op.Port{{Name: "begun", Types: aTrigger}, {Name: "about", Types: aPeer, Optional: true}},
		gives(triggered, a(Peer1)), op.Attr{Name: "kind", Kind: op.String, Values: eventKinds, Arg: true}).Op

	// LifecyclePhase is a trigger that fires when the peer enters the phase "phase" of its life.
	LifecyclePhase = opener("LifecyclePhase", op.OpensOnPhase,
		[]op.Port{{Name: "begun", Types: aTrigger}},
		gives(triggered), op.Attr{Name: PhaseAttr, Kind: op.String, Arg: true}).Op

	// Rounds is a loop of "n" executions. Output 0 is the number of the round, from 0. Output k is input k-1
	// in round 0, and later the same input of the [Next] that ended the round before. The attribute "short"
	// is the reaction to a round without a quorum: one of [ShortRounds], or none. A round that waits for its
	// quorum does so for "patience" ns, or forever without it.
	Rounds = roundsOp().Op

	// Next starts the next round of the [Rounds] with the same "name" when everything else in the round is
	// done. Its inputs after the first are the carried values; the first, if present, ends the loop when it
	// is true.
	Next = service("Next",
		[]op.Port{{Name: "until", Types: rank0(tensor.Bool), Optional: true}, {Name: "carried", Variadic: true, Mixed: true}}, []op.Port{{Name: "done", Optional: true}},
		inferNext, op.Attr{Name: NameAttr, Kind: op.String}).as(op.KindNext).Op
)

// eventKinds are the events of the engine that may open an execution, as package runtime names them. Words may also be
// joined by underscores.
var eventKinds = []string{"emitted", "finished", "failed", "missing", "late", "refused", "peer up", "peer_up", "peer suspect",
	"peer_suspect", "peer down", "peer_down", "overflow", "phase", "published", "short"}

// The reactions to a round without a quorum.
const (
	ShortSkips   = "skip"   // continue with the next round
	ShortRepeats = "repeat" // repeat the round
	ShortWaits   = "wait"   // wait for the quorum
)

// ShortRounds are all reactions to a round without a quorum.
var ShortRounds = []string{ShortSkips, ShortRepeats, ShortWaits}

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
	if c.Node.Has("patience") && (c.Int("patience") < 1 || c.Str("short") != ShortWaits) {
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
	if until := c.Arg(op.X); until != nil && !rank0(tensor.Bool).Holds(until.Type) {
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
