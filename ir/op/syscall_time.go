package op

import "github.com/bbgen/bbgen/runtime/tensor"

// Time and chance.
var (
	// After is there "delay_ns" nanoseconds after its inputs are.
	After = service("After",
		[]Port{after}, []Port{{Name: "come", Types: aTrigger}},
		gives(triggered), Attr{Name: "delay_ns", Kind: Int, Arg: true}).as(KindWait).ofFrame().timer().Op

	// Sleep passes its first input on "duration_ns" nanoseconds after it has come.
	Sleep = service("Sleep",
		[]Port{{Name: "value"}, after}, []Port{{Name: "value"}},
		gives(asInput(0)), Attr{Name: "duration_ns", Kind: Int, Arg: true}).as(KindWait).ofFrame().passes().calls("After").timer().Op

	// Clock is the time since the peer's incarnation began, in nanoseconds.
	Clock = service("Clock", []Port{after}, []Port{{Name: "now"}}, gives(giveScalar(tensor.Int64))).calls("Now").Op

	// RngU64 is a random number.
	RngU64 = service("RngU64", []Port{after}, []Port{{Name: "number"}}, gives(giveScalar(tensor.Uint64))).Op

	// DeadlineCheck passes its input on if the execution is not older than
	// "deadline_ns" nanoseconds on the peer, nor than its sender allowed, and fails
	// otherwise.
	DeadlineCheck = service("DeadlineCheck",
		[]Port{{Name: "value"}}, []Port{{Name: "value"}},
		gives(asInput(0)), Attr{Name: "deadline_ns", Kind: Int, Arg: true}).ofFrame().passes().fails().Op
)

// calls names the method of the engine, where it is not the operator's name.
func (o row) calls(method string) row {
	o.Peer.Method = method
	return o
}

// timer has the outputs come when a time has passed.
func (o row) timer() row {
	o.Peer.Timer = true
	return o
}
