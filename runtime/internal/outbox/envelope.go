package outbox

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Envelope is a message for a peer, kept until it is acknowledged.
type Envelope struct {
	Seq    uint64 // on the present connection, from 1; set by [Box.Put]
	Before uint64 // on the previous connection; 0: it was not sent on that one
	Epoch  uint64 // of the snapshot that holds its cause
	Exec   wire.ExecID
	Until  int64 // the deadline of its execution; 0: none
	Begins bool  // it is the first that its execution sends to the peer
	Fills  []Fill

	bytes  int // of the payloads
	sentAt int64

	sentAfter int64 // what the peers of the store had acknowledged then, in bytes
	here      bool  // it was sent on the present connection
	again     bool  // it was sent more than once, so its acknowledgement gives no round-trip time
	hasBulk   bool
}

// Fill is a value in an envelope.
type Fill struct {
	Edge    int
	Payload *Payload  // nil: the value is a trigger, or lost
	Lost    string    // why there is no value; "": there is one
	few     [4]uint64 // the dimensions, if there are few
	many    []uint64  // the dimensions, if there are more
	ndims   int
	isBulk  bool // the payload is not in the envelope, see split
}

// Dims returns the dimensions.
func (f *Fill) Dims() []uint64 {
	if f.many != nil {
		return f.many
	}
	return f.few[:f.ndims]
}

// Bulk returns the name of a payload that the receiver fetches, or a zero Bulk if the payload is in the envelope.
func (f *Fill) Bulk() wire.Bulk {
	if !f.isBulk {
		return wire.Bulk{}
	}
	return f.Payload.bulk
}

// Add appends a value, and adds a reference to its payload.
//
// Invariant: the elements behind the fills of a reused envelope are zero.
func (e *Envelope) Add(edge int, p *Payload, dims []uint64) {
	f := e.next()
	f.Edge, f.Payload, f.ndims = edge, p, len(dims)
	if copy(f.few[:], dims) < len(dims) {
		f.many = slices.Clone(dims)
	}
	if p != nil {
		p.refs++
	}
}

// AddLost appends a value that will not come, and the reason.
func (e *Envelope) AddLost(edge int, reason string) {
	f := e.next()
	f.Edge, f.Lost = edge, reason
}

// next appends an empty value.
func (e *Envelope) next() *Fill {
	if k := len(e.Fills); k < cap(e.Fills) {
		e.Fills = e.Fills[:k+1]
	} else {
		e.Fills = append(e.Fills, Fill{})
	}
	return &e.Fills[len(e.Fills)-1]
}
