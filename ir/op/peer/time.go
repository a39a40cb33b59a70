package peer

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Time and random numbers.
var (
	// After is a trigger that fires "delay_ns" nanoseconds after its inputs are present.
	After = service("After",
		[]op.Port{after}, []op.Port{{Name: "come", Types: aTrigger}},
		gives(triggered), op.Attr{Name: "delay_ns", Kind: op.Int, Arg: true}).as(op.KindWait).ofFrame().timer().Op

	// Sleep returns its first input "duration_ns" nanoseconds after it is present.
	Sleep = service("Sleep",
		[]op.Port{{Name: "value"}, after}, []op.Port{{Name: "value"}},
		gives(asInput(0)), op.Attr{Name: "duration_ns", Kind: op.Int, Arg: true}).as(op.KindWait).ofFrame().passes().calls("After").timer().Op

	// Clock returns the time since the peer's incarnation began, in nanoseconds.
	Clock = service("Clock", []op.Port{after}, []op.Port{{Name: "now"}}, gives(giveScalar(tensor.Int64))).calls("Now").Op

	// RngU64 returns a random number.
	RngU64 = service("RngU64", []op.Port{after}, []op.Port{{Name: "number"}}, gives(giveScalar(tensor.Uint64))).Op

	// DeadlineCheck returns its input if the execution on the peer is not older than "deadline_ns"
	// nanoseconds, nor older than its sender allowed, and fails otherwise.
	DeadlineCheck = service("DeadlineCheck",
		[]op.Port{{Name: "value"}}, []op.Port{{Name: "value"}},
		gives(asInput(0)), op.Attr{Name: "deadline_ns", Kind: op.Int, Arg: true}).ofFrame().passes().fails().Op
)

// calls sets the method of the engine, if it differs from the operator's name.
func (o row) calls(method string) row {
	o.Peer.Method = method
	return o
}

// timer sets [op.Peer.Timer].
func (o row) timer() row {
	o.Peer.Timer = true
	return o
}
