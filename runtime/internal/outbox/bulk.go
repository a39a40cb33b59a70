package outbox

import "github.com/bbgen/bbgen/runtime/internal/inbox"

// A payload above the chunk size, or beyond the receiver's limit for an envelope, is sent as bulk: the envelope
// holds its name, size and checksum, and the receiver fetches it. So no unwanted payload is sent, and control
// messages never wait behind payloads.

// fillRoom is an upper bound of the size of a fill in an envelope, without its payload and dimensions;
// envelopeRoom of an envelope without its fills.
const (
	fillRoom     = 64
	dimRoom      = 5
	envelopeRoom = 512
)

// split decides which payloads of an envelope are sent as bulk.
func (b *Box) split(e *Envelope) {
	room := b.maxEnvelope - envelopeRoom
	for i := range e.Fills {
		room -= fillRoom + dimRoom*e.Fills[i].ndims
	}
	e.hasBulk = false
	for i := range e.Fills {
		f := &e.Fills[i]
		f.isBulk = false
		if f.Payload == nil {
			continue
		}
		p := f.Payload
		size := p.size()
		if f.isBulk = p.data == nil && p.blob != nil || p.bulk.ID != 0 || size > 0 && (size > b.maxFill || size > room); f.isBulk {
			b.store.name(p)
			e.hasBulk = true
		} else {
			room -= size
		}
	}
}

// inFlight counts the envelopes with bulk that were sent and are not acknowledged.
type inFlight struct {
	first uint64 // the number of the first one; 0: none
	count int
	bytes int
}

func (x *inFlight) add(e *Envelope) {
	if x.first == 0 {
		x.first = e.Seq
	}
	x.count++
	x.bytes += e.bytes
}

// recount finds the sent envelopes with bulk, after some were removed or count as unsent.
func (b *Box) recount() {
	if b.bulk.first == 0 {
		return
	}
	b.bulk = inFlight{}
	for i := range b.sent {
		if e := b.At(i); e.hasBulk {
			b.bulk.add(e)
		}
	}
}

// maxAhead is how many bytes of bulk a peer is told about, beyond those of the first two unacknowledged
// envelopes: envelopes that were not sent may still be withdrawn.
const maxAhead = 64 << 20

// waits reports whether a split envelope waits for the bulk of earlier ones. The receiver has no place for an
// envelope that is far behind an incomplete one.
func (x *inFlight) waits(e *Envelope) bool {
	return x.first > 0 && (e.Seq-x.first >= inbox.WindowBits || e.hasBulk && x.count >= 2 && e.bytes > maxAhead-x.bytes)
}
