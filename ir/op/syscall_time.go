package op

import "github.com/bbgen/bbgen/runtime/tensor"

// Time and chance.
var (
	// After is there "delay_ns" nanoseconds after its inputs are.
	After = service("After", after, One, takes(triggers, triggered), "delay_ns").as(KindWait).ofFrame()

	// Sleep passes its first input on "duration_ns" nanoseconds after it has come.
	Sleep = service("Sleep", Arity{1, Any}, One, takes([]want{anything, aTrigger}, asInput(0)), "duration_ns").as(KindWait).ofFrame().passes().calls("After")

	// Clock is the time since the peer's incarnation began, in nanoseconds.
	Clock = service("Clock", after, One, takes(triggers, giveScalar(tensor.Int64))).calls("Now")

	// RngU64 is a random number.
	RngU64 = service("RngU64", after, One, takes(triggers, giveScalar(tensor.Uint64)))

	// DeadlineCheck passes its input on if the execution is not older than
	// "deadline_ns" nanoseconds on the peer, nor than its sender allowed, and fails
	// otherwise.
	DeadlineCheck = service("DeadlineCheck", One, One, takes([]want{anything}, asInput(0)), "deadline_ns").ofFrame().passes()
)

// calls names the method of the engine, where it is not the operator's name.
func (o *Op) calls(method string) *Op {
	o.Peer.Method = method
	return o
}
