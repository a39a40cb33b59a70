package peer

import (
	"fmt"
	"sync"

	"github.com/bbgen/bbgen/runtime/wire"
)

// transfer is a payload on its way in. It outlives the connection, and goes on
// where it was on the next one.
type transfer struct {
	bulk    wire.Bulk
	sink    sink
	wanted  bool // on this connection
	busy    bool // a chunk of it is being read, by a reader that may be of a connection that is over
	dropped bool // nobody wants it any more
	told    uint64
}

// sink is where the bytes of a payload go. While a transfer is busy, its reader
// alone touches it.
type sink interface {
	offset() uint64
	read(f *frames, c wire.Chunk, size int) error // the next chunk, of size bytes
	done() (wire.Blob, error)                     // the payload, with one share in it; nil before it is whole
	drop()
}

// newTransfer begins a payload: a small one in memory as long as there is room.
func (h *host) newTransfer(l *link, b wire.Bulk) (*transfer, error) {
	t := &transfer{bulk: b}
	memory, err := wire.NewAssembly(b, h.limits.Wire.Bulk)
	if err != nil {
		return nil, err
	}
	if h.spool.hold(&l.share, b.Size) {
		t.sink = &memorySink{h.spool, &l.share, memory, b.Size}
		return t, nil
	}
	w := h.spool.begin(&l.share, b.Size)
	if w == nil {
		return nil, fmt.Errorf("%w for %d bytes", errNoPlace, b.Size)
	}
	t.sink = &fileSink{w: w, bulk: b, sums: newSums(h.spool.seed)}
	return t, nil
}

// ack says how far a transfer is and how much more may come.
func (t *transfer) ack(h *host) wire.Ack {
	t.told = t.sink.offset()
	return wire.Ack{Bulk: t.bulk.ID, Offset: t.told, Credit: window * uint64(h.limits.Wire.Chunk)}
}

// runsDry reports whether the sender will soon have written all that it may, and is
// not at the end.
func (t *transfer) runsDry(h *host) bool {
	credit := window * uint64(h.limits.Wire.Chunk)
	return t.bulk.Size-t.told > credit && t.sink.offset()-t.told >= credit/2
}

// drop gives up a transfer, when its reader has left it. The link is locked.
func (t *transfer) drop() {
	if t.dropped = true; !t.busy {
		t.sink.drop()
	}
}

// memorySink puts a payload together in memory.
type memorySink struct {
	s        *spool
	of       *share
	assembly *wire.Assembly
	size     uint64
}

func (k *memorySink) offset() uint64 { return k.assembly.Offset() }

func (k *memorySink) read(f *frames, c wire.Chunk, size int) error {
	room, err := k.assembly.Room(c, size)
	if err != nil {
		return err
	}
	return f.fillBy(room, hot, func(n int) { k.assembly.Commit(c, n) })
}

// hot is how much is read before its sum is taken, which is in the cache then: a part
// of a [step].
const hot = 32 << 10

func (k *memorySink) done() (wire.Blob, error) {
	data, err := k.assembly.Done()
	if err != nil || data == nil {
		return nil, err
	}
	return &heldBlob{Held: data, s: k.s, of: k.of, shares: 1}, nil
}

func (k *memorySink) drop() {
	k.assembly.Drop()
	k.s.unhold(k.of, k.size)
}

// fileSink puts a payload together in a file, piece by piece.
type fileSink struct {
	w    *spoolWriter
	bulk wire.Bulk
	at   uint64
	sums *sums
}

func (k *fileSink) offset() uint64 { return k.at }

// read writes what is not there yet: a sender may go back after a reconnect.
func (k *fileSink) read(f *frames, c wire.Chunk, size int) error {
	if err := k.bulk.Fits(c, k.at, size); err != nil {
		return err
	}
	piece := pieces.Get().(*[pieceSize]byte)
	defer pieces.Put(piece)
	skip := k.at - c.Offset
	for size > 0 {
		p := piece[:min(size, pieceSize)]
		if err := f.fill(p); err != nil {
			return err
		}
		size -= len(p)
		if skip >= uint64(len(p)) {
			skip -= uint64(len(p))
			continue
		}
		if err := k.write(p[skip:]); err != nil {
			return err
		}
		skip = 0
	}
	return nil
}

func (k *fileSink) write(p []byte) error {
	if err := k.w.writeAt(p, k.at); err != nil {
		return fmt.Errorf("%w: %w", errNoPlace, err)
	}
	k.sums.Write(p)
	k.at += uint64(len(p))
	return nil
}

func (k *fileSink) done() (wire.Blob, error) {
	switch {
	case k.at < k.bulk.Size:
		return nil, nil
	case k.sums.crc != k.bulk.CRC:
		return nil, fmt.Errorf("bulk %d: checksum %08x, want %08x", k.bulk.ID, k.sums.crc, k.bulk.CRC)
	}
	return k.w.finish(k.sums), nil
}

func (k *fileSink) drop() { k.w.abort() }

// pieces are parts of files in memory, for who reads or writes one.
var pieces = sync.Pool{New: func() any { return new([pieceSize]byte) }}
