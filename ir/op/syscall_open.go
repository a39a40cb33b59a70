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
	Pulse = opener("Pulse", One, takes(nil, triggered))

	// BootstrapDispatch is there before anything else is let in.
	BootstrapDispatch = opener("BootstrapDispatch", One, takes(nil, triggered))

	// Interval is there every "period_ns" nanoseconds.
	Interval = opener("Interval", One, takes(nil, triggered), "period_ns")

	// EventSource is there for each event of the engine of the kind "kind", with the
	// peer that the event is about.
	EventSource = opener("EventSource", Arity{1, 2}, takes(nil, triggered, a(Peer1)), "kind")

	// LifecyclePhase is there when the node's life comes to "phase".
	LifecyclePhase = opener("LifecyclePhase", One, takes(nil, triggered), "phase")

	// Rounds is a loop of executions, "n" of them: output 0 is the number of the
	// round, from 0; output k is what round 0 has of input k-1, and later ones of the
	// same input of the [Next] that ended the round before. "short" says what follows
	// a round that has no quorum: one of [ShortRounds], nothing without it.
	Rounds = roundsOp()

	// Next begins the next round of the [Rounds] of its "name" when all else of the
	// round is done. Its inputs after the first are what the round carries over; the
	// first, if it is there, ends the loop when it is true.
	Next = service("Next", after, Arity{0, 1}, inferNext).as(KindNext)
)

// ShortRounds is what may follow a round that has no quorum: the next one, the same, or
// that it waits.
var ShortRounds = []string{"skip", "repeat", "wait"}

func roundsOp() *Op {
	o := opener("Rounds", Arity{1, Any}, inferRounds, "n", "short")
	o.In = after
	return o
}

func inferRounds(c *Infer) error {
	if c.Int("n", 0) < 1 {
		return fmt.Errorf("attribute %q is %d, want 1 or more", "n", c.Int("n", 0))
	}
	if s := c.Str("short", ""); s != "" && !slices.Contains(ShortRounds, s) {
		return fmt.Errorf("attribute %q is %q, want one of %q", "short", s, ShortRounds)
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
