package wire

import (
	"hash/crc32"
	"slices"
)

// Assembly puts the chunks of one bulk payload together in memory. Its memory
// grows with what has arrived, never with what was announced.
type Assembly struct {
	bulk Bulk
	data []byte // Invariant: the first len(data) bytes of the payload, whose sum is crc
	crc  uint32
}

// NewAssembly begins a payload of at most limit bytes.
func NewAssembly(b Bulk, limit int) (*Assembly, error) {
	if b.Size > uint64(max(limit, 0)) {
		return nil, &LimitError{"bulk: size", b.Size, uint64(max(limit, 0))}
	}
	return &Assembly{bulk: b}, nil
}

// Add takes the next chunk. What it has already is skipped, so that a sender may
// go back after a reconnect; a gap is an error.
func (a *Assembly) Add(c Chunk) error {
	have := uint64(len(a.data))
	switch {
	case c.Bulk != a.bulk.ID:
		return malformed("chunk", "of bulk %d, want %d", c.Bulk, a.bulk.ID)
	case c.Offset > have:
		return malformed("chunk", "bulk %d at %d, have %d bytes", c.Bulk, c.Offset, have)
	case c.Offset+uint64(len(c.Data)) > a.bulk.Size: // cannot overflow: Offset ≤ have
		return malformed("chunk", "bulk %d ends at %d, its size is %d", c.Bulk, c.Offset+uint64(len(c.Data)), a.bulk.Size)
	}
	skip := have - c.Offset
	if skip >= uint64(len(c.Data)) {
		return nil
	}
	fresh := c.Data[skip:]
	if need := len(a.data) + len(fresh); need > cap(a.data) {
		a.data = slices.Grow(a.data, min(max(2*need, 1<<16), int(a.bulk.Size))-len(a.data))
	}
	a.data = append(a.data, fresh...)
	a.crc = crc32.Update(a.crc, castagnoli, fresh)
	return nil
}

// Offset returns how many bytes are here.
func (a *Assembly) Offset() uint64 { return uint64(len(a.data)) }

// Done returns the payload when it is complete, and whether it is.
func (a *Assembly) Done() ([]byte, bool, error) {
	if uint64(len(a.data)) < a.bulk.Size {
		return nil, false, nil
	}
	if a.crc != a.bulk.CRC {
		return nil, true, malformed("bulk", "%d: checksum %08x, want %08x", a.bulk.ID, a.crc, a.bulk.CRC)
	}
	return a.data, true, nil
}
