package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// What the engine keeps for a program, by name.
var (
	// HoldStash keeps a value, in the place of one that is held.
	HoldStash = service("HoldStash",
		[]Port{{Name: "value"}}, []Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), Attr{Name: NameAttr, Kind: String}).of("Hold", "Stash").held().Op

	// HoldFlush takes the value that is held, and fails if there is none.
	HoldFlush = service("HoldFlush",
		[]Port{after}, []Port{{Name: "value"}},
		gives(said(needsType)), Attr{Name: NameAttr, Kind: String}, Attr{Name: TypesAttr, Kind: Strings}).of("Hold", "Flush").held().fails().Op

	// SerializeEnqueue puts a value at the end of a queue.
	SerializeEnqueue = service("SerializeEnqueue",
		[]Port{{Name: "value"}}, []Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), Attr{Name: NameAttr, Kind: String}).of("Queue", "Enqueue").held().Op

	// SerializeDequeue takes the first value of a queue, and waits until there is
	// one.
	SerializeDequeue = service("SerializeDequeue",
		[]Port{after}, []Port{{Name: "value"}},
		gives(said(needsType)), Attr{Name: NameAttr, Kind: String}, Attr{Name: TypesAttr, Kind: Strings}).of("Queue", "Dequeue").held().as(KindWait).ofFrame().Op

	// LimitAcquire takes one of "n" permits, and fails if none is left.
	LimitAcquire = service("LimitAcquire",
		[]Port{after}, []Port{{Name: "acquired", Types: aTrigger}},
		gives(triggered), Attr{Name: NameAttr, Kind: String}, Attr{Name: "n", Kind: Int, Arg: true}).of("Limit", "Acquire").fails().Op

	// LimitRelease gives a permit back.
	LimitRelease = service("LimitRelease",
		[]Port{after}, []Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), Attr{Name: NameAttr, Kind: String}, Attr{Name: "n", Kind: Int}).of("Limit", "Release").fails().Op

	// Record puts a number into a ring of the latest ones.
	Record = service("Record",
		[]Port{{Name: "number", Types: rank0Number}}, []Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), Attr{Name: NameAttr, Kind: String}).of("Ring", "Record").decimal().Op

	// IncrMetric adds "delta" to a counter.
	IncrMetric = service("IncrMetric",
		[]Port{after}, []Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), Attr{Name: NameAttr, Kind: String}, Attr{Name: "delta", Kind: Int, Arg: true}).of("Counter", "Add").Op

	// CorrelateTag is a number that no other call gives.
	CorrelateTag = service("CorrelateTag", []Port{after}, []Port{{Name: "tag"}}, gives(giveScalar(tensor.Uint64))).Op
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
		[]Port{{Name: "value"}}, []Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), Attr{Name: NameAttr, Kind: String}).as(KindEmit).ofFrame().calls("Emit").told().Op

	// AppNotify tells the host, and executions that wait for it, that something of
	// that name has happened.
	AppNotify = service("AppNotify",
		[]Port{{Name: "after_these", Variadic: true, Mixed: true}}, []Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), Attr{Name: NameAttr, Kind: String}).as(KindEmit).ofFrame().calls("Publish").Op

	// BootstrapOutput is [AppEmit] of what the bootstrap has found out.
	BootstrapOutput = service("BootstrapOutput",
		[]Port{{Name: "value"}}, []Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), Attr{Name: NameAttr, Kind: String}).as(KindEmit).ofFrame().calls("Emit").told().Op
)

// rank0Number is a tensor of one number.
var rank0Number = want{"a number", func(t ir.Type) bool {
	return t.Kind == ir.Tensor && t.Elem != tensor.String && (!t.Ranked || len(t.Shape) == 0)
}}

// told has the host be given the input.
func (o row) told() row {
	o.Peer.Told = true
	return o
}
