package peer

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// State that the engine keeps for a program, by name.
var (
	// HoldStash stores a value and replaces the stored one.
	HoldStash = service("HoldStash",
		[]op.Port{{Name: "value"}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).of("Hold", "Stash").held().Op

	// HoldFlush removes and returns the stored value. It fails if there is none.
	HoldFlush = service("HoldFlush",
		[]op.Port{after}, []op.Port{{Name: "value"}},
		gives(said(needsType)), op.Attr{Name: NameAttr, Kind: op.String}, op.Attr{Name: TypesAttr, Kind: op.Strings}).of("Hold", "Flush").held().fails().Op

	// SerializeEnqueue appends a value to a queue.
	SerializeEnqueue = service("SerializeEnqueue",
		[]op.Port{{Name: "value"}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).of("Queue", "Enqueue").held().Op

	// SerializeDequeue removes and returns the first value of a queue. It waits until there is one.
	SerializeDequeue = service("SerializeDequeue",
		[]op.Port{after}, []op.Port{{Name: "value"}},
		gives(said(needsType)), op.Attr{Name: NameAttr, Kind: op.String}, op.Attr{Name: TypesAttr, Kind: op.Strings}).of("Queue", "Dequeue").held().as(op.KindWait).ofFrame().Op

	// LimitAcquire takes one of "n" permits. It fails if none is left.
	LimitAcquire = service("LimitAcquire",
		[]op.Port{after}, []op.Port{{Name: "acquired", Types: aTrigger}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}, op.Attr{Name: "n", Kind: op.Int, Arg: true}).of("Limit", "Acquire").fails().Op

	// LimitRelease returns a permit.
	LimitRelease = service("LimitRelease",
		[]op.Port{after}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}, op.Attr{Name: "n", Kind: op.Int}).of("Limit", "Release").fails().Op

	// Record adds a number to a ring buffer of the latest ones.
	Record = service("Record",
		[]op.Port{{Name: "number", Types: rank0Number}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).of("Ring", "Record").decimal().Op

	// IncrMetric adds "delta" to a counter.
	IncrMetric = service("IncrMetric",
		[]op.Port{after}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}, op.Attr{Name: "delta", Kind: op.Int, Arg: true}).of("Counter", "Add").Op

	// CorrelateTag returns a number that no other call returns.
	CorrelateTag = service("CorrelateTag", []op.Port{after}, []op.Port{{Name: "tag"}}, gives(giveScalar(tensor.Uint64))).Op
)

// held sets [op.Peer.Held].
func (o row) held() row {
	o.Peer.Held = true
	return o
}

// decimal sets [op.Peer.Decimal].
func (o row) decimal() row {
	o.Peer.Decimal = true
	return o
}

// Operators that notify the host.
var (
	// AppEmit passes a value to the host under a name.
	AppEmit = service("AppEmit",
		[]op.Port{{Name: "value"}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).as(op.KindEmit).ofFrame().calls("Emit").told().Op

	// AppNotify notifies the host, and executions that wait for it, of an event with the given name.
	AppNotify = service("AppNotify",
		[]op.Port{{Name: "after_these", Variadic: true, Mixed: true}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).as(op.KindEmit).ofFrame().calls("Publish").Op

	// BootstrapOutput is [AppEmit] for a result of the bootstrap.
	BootstrapOutput = service("BootstrapOutput",
		[]op.Port{{Name: "value"}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered), op.Attr{Name: NameAttr, Kind: op.String}).as(op.KindEmit).ofFrame().calls("Emit").told().Op
)

// rank0Number is a tensor of one number.
var rank0Number = op.TypeSet{Name: "a number", Holds: func(t ir.Type) bool {
	return t.Kind == ir.Tensor && t.Elem != tensor.String && (!t.Ranked || len(t.Shape) == 0)
}}

// told sets [op.Peer.Told].
func (o row) told() row {
	o.Peer.Told = true
	return o
}
