package conversation

import (
	"fmt"
	"sync"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/wire"
)

// sink receives the bytes of a payload. While a transfer is busy, only its reader uses it.
type sink interface {
	offset() uint64
	read(f *Frames, c wire.Chunk, size int) error // the next chunk, of size bytes
	done() (wire.Blob, error)                     // the payload, with one reference; nil before it is complete
	drop()
}

// memorySink assembles a payload in memory.
type memorySink struct {
	s        *spool.Spool
	of       *spool.Share
	assembly *wire.Assembly
	size     uint64
}

func (k *memorySink) offset() uint64 { return k.assembly.Offset() }

func (k *memorySink) read(f *Frames, c wire.Chunk, size int) error {
	room, err := k.assembly.Room(c, size)
	if err != nil {
		return err
	}
	return f.fillInPieces(room, sumPiece, func(n int) { k.assembly.Commit(c, n) })
}

// sumPiece is how much is read before its checksum is computed, while it is in the cache: a part of a [step].
const sumPiece = 32 << 10

func (k *memorySink) done() (wire.Blob, error) {
	data, err := k.assembly.Done()
	if err != nil || data == nil {
		return nil, err
	}
	return k.s.Held(k.of, data), nil
}

func (k *memorySink) drop() {
	k.assembly.Drop()
	k.s.Unhold(k.of, k.size)
}

// fileSink assembles a payload in a file, in pieces.
type fileSink struct {
	w    *spool.Writer
	bulk wire.Bulk
}

func (k *fileSink) offset() uint64 { return k.w.Offset() }

// read writes the bytes that are missing: a sender may go back after a reconnect.
func (k *fileSink) read(f *Frames, c wire.Chunk, size int) error {
	if err := k.bulk.Fits(c, k.offset(), size); err != nil {
		return err
	}
	piece := pieces.Get().(*[pieceBytes]byte)
	defer pieces.Put(piece)
	skip := k.offset() - c.Offset
	for size > 0 {
		p := piece[:min(size, pieceBytes)]
		if err := f.Fill(p); err != nil {
			return err
		}
		size -= len(p)
		if skip >= uint64(len(p)) {
			skip -= uint64(len(p))
			continue
		}
		if _, err := k.w.Write(p[skip:]); err != nil {
			return fmt.Errorf("%w: %w", ErrNoPlace, err)
		}
		skip = 0
	}
	return nil
}

func (k *fileSink) done() (wire.Blob, error) {
	switch {
	case k.offset() < k.bulk.Size:
		return nil, nil
	case k.w.CRC() != k.bulk.CRC:
		return nil, fmt.Errorf("bulk %d: checksum %08x, want %08x", k.bulk.ID, k.w.CRC(), k.bulk.CRC)
	}
	return k.w.Finish(), nil
}

func (k *fileSink) drop() { k.w.Abort() }

// pieceBytes is how much of a file is in memory for each reader or writer.
const pieceBytes = 128 << 10

// pieces are buffers for readers and writers of files.
var pieces = sync.Pool{New: func() any { return new([pieceBytes]byte) }}
