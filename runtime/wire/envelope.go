package wire

// SchemaVersion is the version of envelopes that this package writes. It reads no other; a missing version
// counts as the first.
const SchemaVersion = 1

// Envelope is the message WireEnvelope: fills that one block of a program sends to one peer, with the data that
// the channel between the two needs.
type Envelope struct {
	Dest    []Address // addresses of the peer, best first
	Fills   []SlotFill
	Request Correlation
	Within  uint64 // remaining ns until the deadline; 0: none

	// Src is the sender according to the message. Only the connection proves it. If the message has a SHA-256 in place
	// of a key, Src is zero and SrcHash is that: see [PeerID.HasHash]. Both are zero if it has another multihash.
	Src      PeerID
	SrcHash  []byte
	SrcAddrs []Address // where the sender can be dialed

	Exec ExecID // the execution that caused the envelope; zero if there are no fills, or if bytesandbrains 0.3 wrote it

	// Seq numbers the envelopes of an incarnation to a peer, from 1. It is 0 if there is nothing to
	// acknowledge. Ack tells the receiver that all of its envelopes up to this Seq are safe and need not be
	// sent again.
	Seq, Ack uint64

	// Before is the Seq that the same envelope had on the previous connection; 0: it was not sent on that one.
	Before uint64

	// Released tells the receiver that its envelopes up to this Seq that Ack does not include are left to the sender's
	// next incarnation: the sender is stopping. They are to be sent again when it has restarted; 0: none.
	Released uint64
}

// AddFill appends a fill, reusing the memory of earlier Dims.
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

// SlotFill is one value for a slot of another peer.
type SlotFill struct {
	Suffix  []byte // the destination: see [ConsumeSite]
	Payload []byte // elements, little endian
	Trigger bool   // there is no payload: the arrival is the information
	Type    TypeHash
	Bulk    Bulk
	Dims    []uint64 // the open sizes of the edge's type, in order

	// Lost, if not "", says that the sender will send no value, and why; then only Suffix is set beside it.
	Lost string

	// Blob is the payload of a fill that came in chunks, will be sent in chunks, or is in memory with a
	// reference count. Payload is its bytes if they are in memory.
	Blob Blob
}

// Len returns the size of the payload, wherever it is stored.
func (f *SlotFill) Len() uint64 {
	if f.Blob != nil {
		return f.Blob.Size()
	}
	return uint64(len(f.Payload)) + f.Bulk.Size
}

// Bulk announces a payload that comes in chunks. Its ID is unique within a sender's incarnation and not 0; a
// zero Bulk means none.
type Bulk struct {
	ID   uint64
	Size uint64
	CRC  uint32 // CRC-32C of the payload
}

// CorrelationKind says whether an envelope is a request or an answer.
type CorrelationKind uint8

// The kinds of correlation.
const (
	NoCorrelation CorrelationKind = iota
	Request
	Response
)

// Correlation connects an answer with its request.
type Correlation struct {
	Kind CorrelationKind
	ID   uint64
}
