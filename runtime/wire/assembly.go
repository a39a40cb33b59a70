package wire

import (
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Assembly assembles the chunks of one bulk payload in memory. Its memory grows with the received bytes, not
// with the announced size.
type Assembly struct {
	bulk   Bulk
	memory *tensor.Memory
	data   []byte // Invariant: the first len(data) bytes of the payload, with the checksum crc, in memory; the bytes after them are arbitrary
	crc    uint32
	again  bool // some of the bytes may have been overwritten since they were summed
}

// NewAssembly begins a payload of at most limit bytes, and no more than memory can have
// in one piece.
func NewAssembly(b Bulk, limit int64) (*Assembly, error) {
	if limit = min(max(limit, 0), math.MaxInt); b.Size > uint64(limit) {
		return nil, &LimitError{"bulk: size", b.Size, uint64(limit)}
	}
	return &Assembly{bulk: b}, nil
}

// Add adds the next chunk. Bytes that it has already are skipped, so that a sender may go back after a
// reconnect; a gap is an error.
func (a *Assembly) Add(c Chunk) error {
	room, err := a.Room(c, len(c.Data))
	if err != nil {
		return err
	}
	skip := uint64(len(a.data)) - c.Offset
	if skip < uint64(len(c.Data)) {
		copy(room[skip:], c.Data[skip:])
	}
	a.Commit(c, len(c.Data))
	return nil
}

// Room returns the place for the next chunk of size bytes, so that its data can be read into it without a copy;
// Commit adds them. Bytes that were received before may be overwritten: if they differ, the checksum detects
// that.
func (a *Assembly) Room(c Chunk, size int) ([]byte, error) {
	if err := a.bulk.Fits(c, uint64(len(a.data)), size); err != nil {
		return nil, err
	}
	end := c.Offset + uint64(size)
	if end > uint64(cap(a.data)) {
		a.grow(int(min(max(growth*end, 1<<16), a.bulk.Size))) // an int: see NewAssembly
	}
	a.again = a.again || c.Offset < uint64(len(a.data))
	return a.data[c.Offset:end:end], nil
}

func (a *Assembly) grow(size int) {
	m := tensor.NewMemory(size)
	grown := m.Bytes()[:size:size]
	a.data = grown[:copy(grown, a.data)]
	a.memory.Release()
	a.memory = m
}

// Fits returns an error unless a chunk of size bytes fits a payload of which the first have bytes were
// received.
func (b Bulk) Fits(c Chunk, have uint64, size int) error {
	switch {
	case c.Bulk != b.ID:
		return malformed("chunk", "of bulk %d, want %d", c.Bulk, b.ID)
	case c.Offset > have:
		return malformed("chunk", "bulk %d at %d, have %d bytes", c.Bulk, c.Offset, have)
	case c.Offset+uint64(size) > b.Size: // cannot overflow: Offset ≤ have
		return malformed("chunk", "bulk %d ends at %d, its size is %d", c.Bulk, c.Offset+uint64(size), b.Size)
	}
	return nil
}

// growth is the maximum ratio of an Assembly's memory to the received bytes.
const growth = 8

// Commit adds a chunk of size bytes that was written to the place of Room.
func (a *Assembly) Commit(c Chunk, size int) {
	have := uint64(len(a.data))
	if end := c.Offset + uint64(size); end > have {
		a.data = a.data[:end]
		a.crc = AddCRC(a.crc, a.data[have:])
	}
}

// Offset returns how many bytes were received.
func (a *Assembly) Offset() uint64 { return uint64(len(a.data)) }

// Done returns the payload when it is complete, with the Assembly's reference; nil before.
func (a *Assembly) Done() (*Held, error) {
	if uint64(len(a.data)) < a.bulk.Size {
		return nil, nil
	}
	if a.again {
		a.crc, a.again = CRC(a.data), false
	}
	if a.crc != a.bulk.CRC {
		return nil, malformed("bulk", "%d: checksum %08x, want %08x", a.bulk.ID, a.crc, a.bulk.CRC)
	}
	m := a.memory
	a.memory = nil
	m.Sum(a.data, func([]byte) uint32 { return a.crc })
	return HeldIn(m, a.data), nil
}

// Drop gives up an incomplete payload.
func (a *Assembly) Drop() {
	a.memory.Release()
	a.memory, a.data, a.crc, a.again = nil, nil, 0, false
}
