package conversation

import (
	"errors"
	"fmt"
	"sync"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/wire"
)

var (
	// errUnasked is why a connection ends: a chunk comes of a payload that nobody fetches.
	errUnasked = errors.New("the peer sends what nobody fetches")

	// ErrNoPlace is why a peer must wait: what it sends cannot be kept, as the disk is full,
	// or there are too many files, or the peer has its share of both.
	ErrNoPlace = errors.New("there is no place for its payloads")
)

// window is for how many chunks beyond what has arrived there is credit.
const window = 8

// Inbound is the payloads that are fetched from a peer, from one connection to the next. A
// loop says what is wanted, and the reader of a bulk stream brings it; the reader of an
// earlier connection may still be at a chunk.
type Inbound struct {
	share spool.Share // of the spool's lock

	mu       sync.Mutex
	list     map[uint64]*transfer
	deferred []wire.Bulk // that there was no place for, on this connection
}

// transfer is a payload on its way in. It outlives the connection, and goes on
// where it was on the next one.
type transfer struct {
	bulk    wire.Bulk
	sink    sink
	credit  uint64 // beyond what has arrived
	wanted  bool   // on this connection
	busy    bool   // a chunk of it is being read, by a reader that may be of a connection that is over
	dropped bool   // nobody wants it any more
	told    uint64
}

// Fetch wants a payload, for which it finds a place in a spool. It returns with which
// acknowledgement the peer is asked for it; ok is false while a reader is at it that will
// say when it has left it. With [ErrNoPlace] it is told again by waiting, later.
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
			if errors.Is(err, ErrNoPlace) { // until something of the peer's is done with
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
	if t.busy {
		return ask, false, nil
	}
	return t.ack(), true, nil
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

// Waiting returns the payloads that had no place, to be fetched once more.
func (in *Inbound) Waiting() []wire.Bulk {
	in.mu.Lock()
	defer in.mu.Unlock()
	list := in.deferred
	in.deferred = nil
	return list
}

// Wanted is how to ask for all that is wanted, on a stream that was opened just now.
func (in *Inbound) Wanted() (asks []wire.Ack) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, t := range in.list {
		if t.wanted && !t.busy {
			asks = append(asks, t.ack())
		}
	}
	return asks
}

// Taken is what has become of a payload with a chunk of it.
type Taken struct {
	Bulk wire.Bulk
	Data wire.Blob // the payload, with a share in it; nil: it is not whole
	Ack  wire.Ack  // to be sent if Acks
	Acks bool
	Left bool // the chunk was not read: see [Inbound.Resume]

	t *transfer
}

// Take reads a chunk of size bytes, whose first are peeked at, to its place. With an error
// the stream cannot be read any further.
func (in *Inbound) Take(f *Frames, peeked []byte, size int, lim *wire.Limits) (x Taken, err error) {
	c, head, err := wire.ConsumeChunkHead(peeked, size, lim)
	if err != nil {
		return x, err
	}
	f.Discard(head)
	in.mu.Lock()
	t := in.list[c.Bulk]
	if t == nil || !t.wanted || t.busy {
		in.mu.Unlock()
		return x, fmt.Errorf("%w: bulk %d", errUnasked, c.Bulk)
	}
	t.busy = true
	in.mu.Unlock()
	err = t.sink.read(f, c, size-head)
	in.mu.Lock()
	defer in.mu.Unlock()
	t.busy = false
	x = Taken{Bulk: t.bulk, t: t}
	switch {
	case t.dropped:
		t.sink.drop()
		return x, err
	case err != nil:
		x.Left = true
		return x, err
	}
	return x, in.took(&x)
}

// took goes on after a chunk. The list is locked.
func (in *Inbound) took(x *Taken) (err error) {
	t := x.t
	x.Data, err = t.sink.done()
	if (x.Data != nil || err != nil) && in.list[t.bulk.ID] == t {
		delete(in.list, t.bulk.ID)
	}
	if err != nil {
		t.drop()
		return err
	}
	if x.Data != nil || t.runsDry() {
		x.Ack, x.Acks = t.ack(), true
	}
	return nil
}

// Resume says how to ask for the rest of a payload when the reader of an earlier connection
// has left it; ok is false if nobody wants it now.
func (in *Inbound) Resume(x Taken) (ask wire.Ack, ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	t := x.t
	if !t.wanted || t.busy || in.list[t.bulk.ID] != t {
		return ask, false
	}
	return t.ack(), true
}

// Pause keeps what has come when a connection ends. What the one before it left, and this
// one did not ask for, is dropped.
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

// Forget drops what has come: the peer was started anew, and names things anew.
func (in *Inbound) Forget() {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, t := range in.list {
		t.drop()
	}
	in.list = nil
}

// ack says how far a transfer is and how much more may come.
func (t *transfer) ack() wire.Ack {
	t.told = t.sink.offset()
	return wire.Ack{Bulk: t.bulk.ID, Offset: t.told, Credit: t.credit}
}

// runsDry reports whether the sender will soon have written all that it may, and is
// not at the end.
func (t *transfer) runsDry() bool {
	return t.bulk.Size-t.told > t.credit && t.sink.offset()-t.told >= t.credit/2
}

// drop gives up a transfer, when its reader has left it. The list is locked.
func (t *transfer) drop() {
	if t.dropped = true; !t.busy {
		t.sink.drop()
	}
}
