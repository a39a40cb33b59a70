package conversation

import (
	"errors"
	"fmt"
	"sync"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/wire"
)

var (
	// errUnasked is the error of a connection with a chunk of a payload that is not being fetched.
	errUnasked = errors.New("the peer sends data that were not requested")

	// ErrNoPlace means that payloads of a peer cannot be stored, because the disk is full, there are too many
	// files, or the peer has used its share.
	ErrNoPlace = errors.New("there is no place for its payloads")
)

// window is the credit in chunks beyond those received.
const window = 8

// Inbound holds the payloads that are being fetched from a peer, over several connections. A loop requests
// them, and the reader of a bulk stream receives them; the reader of an earlier connection may still be reading
// a chunk.
type Inbound struct {
	share spool.Share // guarded by the spool's lock

	mu       sync.Mutex
	list     map[uint64]*transfer
	deferred []wire.Bulk // payloads without a place, on this connection
}

// transfer is a payload that is being received. It survives the connection, and continues on the next one.
type transfer struct {
	bulk      wire.Bulk
	sink      sink
	credit    uint64 // beyond the received bytes
	wanted    bool   // on this connection
	beingRead bool   // a reader, possibly of an earlier connection, is reading a chunk of it
	asked     bool   // it was to be requested meanwhile: the reader reports when it has released it
	dropped   bool   // it is not needed any more
	reported  uint64
}

// Fetch requests a payload, for which it reserves a place in a spool. It returns the acknowledgement with which
// to request it from the peer; ok is false while a reader uses the transfer and will report when it has
// released it. After [ErrNoPlace], Waiting returns the payload for a later attempt.
func (in *Inbound) Fetch(b wire.Bulk, s *spool.Spool, lim *wire.Limits) (ask wire.Ack, ok bool, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	t := in.list[b.ID]
	if t == nil || t.bulk != b {
		if t != nil {
			t.drop()
		}
		if t, err = in.begin(b, s, lim); err != nil {
			delete(in.list, b.ID)
			if errors.Is(err, ErrNoPlace) { // until another payload of the peer is finished
				in.deferred = append(in.deferred, b)
			}
			return ask, false, err
		}
		if in.list == nil {
			in.list = map[uint64]*transfer{}
		}
		in.list[b.ID] = t
	}
	t.wanted = true
	ask, ok = t.request()
	return ask, ok, nil
}

// begin begins a payload: a small one in memory as long as there is room.
func (in *Inbound) begin(b wire.Bulk, s *spool.Spool, lim *wire.Limits) (*transfer, error) {
	t := &transfer{bulk: b, credit: window * uint64(lim.Chunk)}
	memory, err := wire.NewAssembly(b, lim.Bulk)
	if err != nil {
		return nil, err
	}
	if s.Hold(&in.share, b.Size) {
		t.sink = &memorySink{s, &in.share, memory, b.Size}
		return t, nil
	}
	w := s.Begin(&in.share, b.Size)
	if w == nil {
		return nil, fmt.Errorf("%w for %d bytes", ErrNoPlace, b.Size)
	}
	t.sink = &fileSink{w: w, bulk: b}
	return t, nil
}

// Waiting returns the payloads without a place, to be fetched again.
func (in *Inbound) Waiting() []wire.Bulk {
	in.mu.Lock()
	defer in.mu.Unlock()
	list := in.deferred
	in.deferred = nil
	return list
}

// Wanted returns the requests for all wanted payloads, for a new stream.
func (in *Inbound) Wanted() (asks []wire.Ack) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, t := range in.list {
		if !t.wanted {
			continue
		}
		if ask, ok := t.request(); ok {
			asks = append(asks, ask)
		}
	}
	return asks
}

// Taken is the state of a payload after a chunk.
type Taken struct {
	Bulk wire.Bulk
	Data wire.Blob // the payload, with a reference; nil: incomplete
	Ack  wire.Ack  // to be sent if Acks
	Acks bool
	Left bool // the payload is to be requested again: see [Inbound.Resume]

	t *transfer
}

// Take reads a chunk of size bytes, whose first bytes are peeked at, into its place. After an error the stream
// cannot be read any further.
func (in *Inbound) Take(f *Frames, peeked []byte, size int, lim *wire.Limits) (x Taken, err error) {
	c, head, err := wire.ConsumeChunkHead(peeked, size, lim)
	if err != nil {
		return x, err
	}
	f.Discard(head)
	in.mu.Lock()
	t := in.list[c.Bulk]
	if t == nil || !t.wanted || t.beingRead {
		in.mu.Unlock()
		return x, fmt.Errorf("%w: bulk %d", errUnasked, c.Bulk)
	}
	t.beingRead = true
	in.mu.Unlock()
	err = t.sink.read(f, c, size-head)
	in.mu.Lock()
	defer in.mu.Unlock()
	x = Taken{Bulk: t.bulk, Left: err != nil || t.asked, t: t}
	t.beingRead, t.asked = false, false
	switch {
	case t.dropped:
		t.sink.drop()
		x.Left = false
	case err == nil:
		err = in.update(&x)
	}
	return x, err
}

// update updates a transfer after a chunk. The caller holds the lock.
func (in *Inbound) update(x *Taken) (err error) {
	t := x.t
	x.Data, err = t.sink.done()
	if (x.Data != nil || err != nil) && in.list[t.bulk.ID] == t {
		delete(in.list, t.bulk.ID)
	}
	if err != nil {
		t.drop()
		x.Left = false
		return err
	}
	if x.Data != nil || t.needsCredit() {
		x.Ack, x.Acks = t.ack(), true
	}
	x.Left = x.Left && x.Data == nil
	return nil
}

// Resume returns the request for the rest of a payload when the reader of an earlier connection has released
// it; ok is false if the payload is not wanted now.
func (in *Inbound) Resume(x Taken) (ask wire.Ack, ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	t := x.t
	if !t.wanted || in.list[t.bulk.ID] != t {
		return ask, false
	}
	return t.request()
}

// Pause keeps received data when a connection ends. Payloads of the connection before that were not requested
// on this one are dropped.
func (in *Inbound) Pause() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.deferred = nil
	for id, t := range in.list {
		if !t.wanted {
			delete(in.list, id)
			t.drop()
		}
		t.wanted = false
	}
}

// Forget drops received data: the peer was restarted, and uses new names.
func (in *Inbound) Forget() {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, t := range in.list {
		t.drop()
	}
	in.list = nil
}

// request returns the acknowledgement with which to request a transfer, or false while a reader uses it and will report
// when it has released it.
func (t *transfer) request() (ask wire.Ack, ok bool) {
	if t.asked = t.beingRead; t.asked {
		return ask, false
	}
	return t.ack(), true
}

// ack returns the acknowledgement of a transfer with its new credit.
func (t *transfer) ack() wire.Ack {
	t.reported = t.sink.offset()
	return wire.Ack{Bulk: t.bulk.ID, Offset: t.reported, Credit: t.credit}
}

// needsCredit reports whether the sender will soon have used its credit before the end of the payload.
func (t *transfer) needsCredit() bool {
	return t.bulk.Size-t.reported > t.credit && t.sink.offset()-t.reported >= t.credit/2
}

// drop gives up a transfer, after its reader has released it. The caller holds the lock.
func (t *transfer) drop() {
	if t.dropped = true; !t.beingRead {
		t.sink.drop()
	}
}
