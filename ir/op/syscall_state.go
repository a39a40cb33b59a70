package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// What the engine keeps for a program, by name.
var (
	// HoldStash keeps a value, in the place of one that is held.
	HoldStash = service("HoldStash", One, Arity{0, 1}, takes([]want{anything}, triggered)).of("Hold", "Stash")

	// HoldFlush takes the value that is held, and fails if there is none.
	HoldFlush = service("HoldFlush", after, One, takes(triggers, said(needsType))).of("Hold", "Flush")

	// SerializeEnqueue puts a value at the end of a queue.
	SerializeEnqueue = service("SerializeEnqueue", One, Arity{0, 1}, takes([]want{anything}, triggered)).of("Queue", "Enqueue")

	// SerializeDequeue takes the first value of a queue, and waits until there is
	// one.
	SerializeDequeue = service("SerializeDequeue", after, One, takes(triggers, said(needsType))).of("Queue", "Dequeue").as(KindWait).ofFrame()

	// LimitAcquire takes one of "n" permits, and fails if none is left.
	LimitAcquire = service("LimitAcquire", after, One, takes(triggers, triggered), "n").of("Limit", "Acquire")

	// LimitRelease gives a permit back.
	LimitRelease = service("LimitRelease", after, Arity{0, 1}, takes(triggers, triggered)).of("Limit", "Release")

	// Record puts a number into a ring of the latest ones.
	Record = service("Record", One, Arity{0, 1}, takes([]want{rank0Number}, triggered)).of("Ring", "Record")

	// IncrMetric adds "delta" to a counter.
	IncrMetric = service("IncrMetric", after, Arity{0, 1}, takes(triggers, triggered), "delta").of("Counter", "Add")

	// CorrelateTag is a number that no other call gives.
	CorrelateTag = service("CorrelateTag", after, One, takes(triggers, giveScalar(tensor.Uint64)))
)

// What the host is told.
var (
	// AppEmit gives a value to the host under a name.
	AppEmit = service("AppEmit", One, Arity{0, 1}, takes([]want{anything}, triggered)).as(KindEmit).ofFrame().calls("Emit")

	// AppNotify tells the host, and executions that wait for it, that something of
	// that name has happened.
	AppNotify = service("AppNotify", after, Arity{0, 1}, takes([]want{anything}, triggered)).as(KindEmit).ofFrame().calls("Publish")

	// BootstrapOutput is [AppEmit] of what the bootstrap has found out.
	BootstrapOutput = service("BootstrapOutput", One, Arity{0, 1}, takes([]want{anything}, triggered)).as(KindEmit).ofFrame().calls("Emit")
)

// rank0Number is a tensor of one number.
var rank0Number = want{"a number", func(t ir.Type) bool {
	return t.Kind == ir.Tensor && t.Elem != tensor.String && (!t.Ranked || len(t.Shape) == 0)
}}
