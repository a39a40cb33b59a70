package spooltest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Shelf is a spool that counts references. Its values can only be read through their methods.
type Shelf struct {
	Values map[uint64]*Value // by name
	Named  []uint64          // by snapshots, in order
	last   uint64
}

// A Value is a value of a shelf.
type Value struct {
	Data    []byte
	Claimed int // the size that it reports; the data may be shorter
	name    uint64
	Shares  int
}

// ReadAt fails if the value has no reference.
func (x *Value) ReadAt(p []byte, off int64) (int, error) {
	if x.Shares <= 0 {
		return 0, errors.New("it was let go")
	}
	return wire.Bytes(x.Data).ReadAt(p, off)
}

// Size returns the size that the value reports.
func (x *Value) Size() uint64 { return uint64(x.Claimed) }

// CRC returns the checksum of the bytes.
func (x *Value) CRC() uint32 { return wire.CRC(x.Data) }

// Bytes returns nil.
func (x *Value) Bytes() []byte { return nil }

// Memory returns nil.
func (x *Value) Memory() *tensor.Memory { return nil }

// Retain adds a reference. It panics if the value has none, as nobody may use it then.
func (x *Value) Retain() {
	x.held()
	x.Shares++
}

// Release releases a reference. It panics if the value has none: in [Shelf.Shared] one release too many would hide another
// reference that is never released.
func (x *Value) Release() {
	x.held()
	x.Shares--
}

func (x *Value) held() {
	if x.Shares <= 0 {
		panic("the last reference was released before")
	}
}

// Put stores a copy.
func (s *Shelf) Put(data []byte, _ wire.Blob) wire.Blob {
	if s.Values == nil {
		s.Values = map[uint64]*Value{}
	}
	s.last++
	x := &Value{slices.Clone(data), len(data), s.last, 1}
	s.Values[s.last] = x
	return x
}

// Name returns the name of a value of the shelf.
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

// Shared returns the number of references to all values.
func (s *Shelf) Shared() (n int) {
	for _, x := range s.Values {
		n += x.Shares
	}
	return n
}
