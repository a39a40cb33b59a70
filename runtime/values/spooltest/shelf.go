package spooltest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Shelf is a spool that counts shares, in memory that nobody may look into.
type Shelf struct {
	Values map[uint64]*Value // by name
	Named  []uint64          // by snapshots, one after the other
	last   uint64
}

// Value is a value of a shelf.
type Value struct {
	Data    []byte
	Claimed int // as it says; the data may be fewer
	name    uint64
	Shares  int
}

// ReadAt fails when nobody has a share in the value.
func (x *Value) ReadAt(p []byte, off int64) (int, error) {
	if x.Shares <= 0 {
		return 0, errors.New("it was let go")
	}
	return wire.Bytes(x.Data).ReadAt(p, off)
}

// Size is how many bytes it says it has.
func (x *Value) Size() uint64 { return uint64(x.Claimed) }

// CRC is the sum of its bytes.
func (x *Value) CRC() uint32 { return wire.CRC(x.Data) }

// Bytes is nil.
func (x *Value) Bytes() []byte { return nil }

// Memory is nil.
func (x *Value) Memory() *tensor.Memory { return nil }

// Retain makes one more share.
func (x *Value) Retain() { x.Shares++ }

// Release gives one back.
func (x *Value) Release() { x.Shares-- }

// Put keeps a copy.
func (s *Shelf) Put(data []byte, _ wire.Blob) wire.Blob {
	if s.Values == nil {
		s.Values = map[uint64]*Value{}
	}
	s.last++
	x := &Value{slices.Clone(data), len(data), s.last, 1}
	s.Values[s.last] = x
	return x
}

// Name is the name of a value of the shelf.
func (s *Shelf) Name(b wire.Blob) uint64 {
	x, ok := b.(*Value)
	if !ok {
		return 0
	}
	s.Named = append(s.Named, x.name)
	return x.name
}

// Open finds a value by its name.
func (s *Shelf) Open(name, size uint64, crc uint32) (wire.Blob, error) {
	x := s.Values[name]
	if x == nil || x.Size() != size || x.CRC() != crc {
		return nil, fmt.Errorf("value %d is not there", name)
	}
	x.Shares++
	return x, nil
}

// Shared is how many shares there are in all values.
func (s *Shelf) Shared() (n int) {
	for _, x := range s.Values {
		n += x.Shares
	}
	return n
}
