package peer

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// What the engine keeps for a program, by name.
var (
	// HoldStash keeps a value, in the place of one that is held.
	HoldStash = service("HoldStash",
		[]op.Port{{Name: "value"}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).of("Hold", "Stash").held().Op

	// HoldFlush takes the value that is held, and fails if there is none.
	HoldFlush = service("HoldFlush",
		[]op.Port{after}, []op.Port{{Name: "value"}},
		gives(said(needsType)), op.Attr{Name: NameAttr, Kind: op.String}, op.Attr{Name: TypesAttr, Kind: op.Strings}).of("Hold", "Flush").held().fails().Op

	// SerializeEnqueue puts a value at the end of a queue.
	SerializeEnqueue = service("SerializeEnqueue",
		[]op.Port{{Name: "value"}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).of("Queue", "Enqueue").held().Op

	// SerializeDequeue takes the first value of a queue, and waits until there is
	// one.
	SerializeDequeue = service("SerializeDequeue",
		[]op.Port{after}, []op.Port{{Name: "value"}},
		gives(said(needsType)), op.Attr{Name: NameAttr, Kind: op.String}, op.Attr{Name: TypesAttr, Kind: op.Strings}).of("Queue", "Dequeue").held().as(op.KindWait).ofFrame().Op

	// LimitAcquire takes one of "n" permits, and fails if none is left.
	LimitAcquire = service("LimitAcquire",
		[]op.Port{after}, []op.Port{{Name: "acquired", Types: aTrigger}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}, op.Attr{Name: "n", Kind: op.Int, Arg: true}).of("Limit", "Acquire").fails().Op

	// LimitRelease gives a permit back.
	LimitRelease = service("LimitRelease",
		[]op.Port{after}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}, op.Attr{Name: "n", Kind: op.Int}).of("Limit", "Release").fails().Op

	// Record puts a number into a ring of the latest ones.
	Record = service("Record",
		[]op.Port{{Name: "number", Types: rank0Number}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).of("Ring", "Record").decimal().Op

	// IncrMetric adds "delta" to a counter.
	IncrMetric = service("IncrMetric",
		[]op.Port{after}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}, op.Attr{Name: "delta", Kind: op.Int, Arg: true}).of("Counter", "Add").Op

	// CorrelateTag is a number that no other call gives.
	CorrelateTag = service("CorrelateTag", []op.Port{after}, []op.Port{{Name: "tag"}}, gives(giveScalar(tensor.Uint64))).Op
)

// held says that the values of a store are as snapshots encode them.
func (o row) held() row {
	o.Peer.Held = true
	return o
}

// decimal gives a service numbers as float64.
func (o row) decimal() row {
	o.Peer.Decimal = true
	return o
}

// What the host is told.
var (
	// AppEmit gives a value to the host under a name.
	AppEmit = service("AppEmit",
		[]op.Port{{Name: "value"}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).as(op.KindEmit).ofFrame().calls("Emit").told().Op

	// AppNotify tells the host, and executions that wait for it, that something of
	// that name has happened.
	AppNotify = service("AppNotify",
		[]op.Port{{Name: "after_these", Variadic: true, Mixed: true}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).as(op.KindEmit).ofFrame().calls("Publish").Op

	// BootstrapOutput is [AppEmit] of what the bootstrap has found out.
	BootstrapOutput = service("BootstrapOutput",
		[]op.Port{{Name: "value"}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).as(op.KindEmit).ofFrame().calls("Emit").told().Op
)

// rank0Number is a tensor of one number.
var rank0Number = op.TypeSet{Name: "a number", Holds: func(t ir.Type) bool {
	return t.Kind == ir.Tensor && t.Elem != tensor.String && (!t.Ranked || len(t.Shape) == 0)
}}

// told has the host be given the input.
func (o row) told() row {
	o.Peer.Told = true
	return o
}
