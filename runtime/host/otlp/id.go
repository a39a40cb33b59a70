package otlp

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

type (
	traceID [16]byte
	spanID  [8]byte
)

// traceOf returns the id of the trace of an execution, on all peers the same.
func traceOf(x *wire.ExecID) (id traceID) {
	b, _ := x.Origin.AppendBinary([]byte("bbgen trace"))
	b = binary.BigEndian.AppendUint64(b, x.Incarnation)
	b = binary.BigEndian.AppendUint64(b, x.Number)
	sum := sha256.Sum256(b)
	copy(id[:], sum[:])
	return id
}

// isSampled reports whether a trace is among a part of all traces. All peers, and other exporters, decide the
// same.
func (id *traceID) isSampled(ratio float64) bool {
	return binary.BigEndian.Uint64(id[8:])>>1 < uint64(ratio*(1<<63)) // as floats, the largest ids would be rounded up
}

// rootOf returns the id of the span of the activity that begins an execution.
func rootOf(trace *traceID) spanID { return spanOf(trace[:], "root") }

// spanOf returns the id of a span, which is identified by some bytes and names.
func spanOf(b []byte, names ...string) (id spanID) {
	b = append([]byte("bbgen span"), b...)
	for _, name := range names {
		b = binary.AppendUvarint(b, uint64(len(name)))
		b = append(b, name...)
	}
	sum := sha256.Sum256(b)
	copy(id[:], sum[:])
	return id
}

// activityOf returns the id of an activity of a peer. From is zero unless the activity is a contribution to a
// gather.
func activityOf(trace *traceID, self, from wire.PeerID, module string) spanID {
	b, _ := self.AppendBinary(trace[:])
	b, _ = from.AppendBinary(b)
	return spanOf(b, module)
}

// place is the place of a span in its trace.
type place struct {
	trace      traceID
	id, parent spanID // no parent: zero
	isRemote   bool   // the parent is a span of another peer
}

// placeOf returns the place of a span of a peer.
func placeOf(self wire.PeerID, s *runtime.Span) place {
	trace := traceOf(&s.Exec)
	p := activityPlace(&trace, self, s)
	if s.Cut == "" {
		return p
	}
	return place{trace: trace, id: spanOf(p.id[:], s.Kind.String(), s.Cut), parent: p.id}
}

// activityPlace returns the place of an activity: that of a span, or the one to which the span belongs.
func activityPlace(trace *traceID, self wire.PeerID, s *runtime.Span) place {
	whole := s.Module
	if s.IsContribution() {
		whole = s.Parent
	}
	p := place{trace: *trace, id: activityOf(trace, self, wire.PeerID{}, whole), parent: rootOf(trace), isRemote: s.Exec.Origin != self}
	if s.Root {
		p.id, p.parent = rootOf(trace), spanID{}
	}
	if !s.IsContribution() {
		return p
	}
	return place{trace: *trace, id: activityOf(trace, self, s.From, s.Module), parent: p.id}
}
