package wire

// SchemaVersion is the version of envelopes that this package writes. It reads
// no other, but takes a missing one for the first.
const SchemaVersion = 1

// Envelope is the message WireEnvelope: fills that one block of a program sends
// to one peer, and what the channel between the two needs beside them.
type Envelope struct {
	Dest    []Address // where the peer may be reached, best first
	Fills   []SlotFill
	Request Correlation
	Within  uint64 // ns that remain of the deadline; 0: there is none
	Reports []RTTReport

	// Src is who the sender says that it is. Only the connection proves it.
	Src      PeerID
	SrcAddrs []Address

	Exec ExecID // the execution that caused the envelope; zero when there are no fills

	// Seq numbers the envelopes of an incarnation to a peer, from 1. It is 0
	// when there is nothing to acknowledge. Ack tells the receiver that all of
	// its envelopes up to this Seq are safe and need not be sent again.
	Seq, Ack uint64
}

// AddFill adds a fill, whose Dims keep the memory of one that was there before.
func (e *Envelope) AddFill() *SlotFill {
	if n := len(e.Fills); n < cap(e.Fills) {
		e.Fills = e.Fills[:n+1]
	} else {
		e.Fills = append(e.Fills, SlotFill{})
	}
	f := &e.Fills[len(e.Fills)-1]
	dims := f.Dims[:0]
	*f = SlotFill{}
	f.Dims = dims
	return f
}

// SlotFill is one value on its way to a slot of another peer.
type SlotFill struct {
	Suffix  []byte // whom it is for: see [ConsumeSite] and [ConsumeComponent]
	Payload []byte // elements, little endian
	Trigger bool   // there is no payload: that the fill arrives is all it says
	Type    TypeHash
	Bulk    Bulk
	Dims    []uint64 // the sizes that the edge's type leaves open, in order

	// Blob is the payload of a fill that came as chunks, that will go out so, or that
	// stands in counted memory. Payload is its bytes then, if they are in memory.
	Blob Blob
}

// Len returns how many bytes the payload has, wherever they are.
func (f *SlotFill) Len() uint64 {
	if f.Blob != nil {
		return f.Blob.Size()
	}
	return uint64(len(f.Payload)) + f.Bulk.Size
}

// Bulk stands for a payload that comes as chunks. Its ID is unique among those
// of a sender's incarnation and not 0; a zero Bulk says that there is none.
type Bulk struct {
	ID   uint64
	Size uint64
	CRC  uint32 // CRC-32C of the payload
}

// CorrelationKind says whether an envelope asks or answers.
type CorrelationKind uint8

// The kinds of correlation.
const (
	NoCorrelation CorrelationKind = iota
	Request
	Response
)

// Correlation ties an answer to what it answers.
type Correlation struct {
	Kind CorrelationKind
	ID   uint64
}

// RTTReport passes on what a peer knows about the way to the next one.
type RTTReport struct {
	NextHop  EdgeID
	Chain    uint64
	Hop      uint32
	SRTT     uint64 // ns
	RTTVar   uint64 // ns
	NSamples uint64
}
