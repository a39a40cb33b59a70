package tensor

import (
	"math/bits"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Memory is what a [Large] value stands in, counted: whoever reads the value has
// a share, and the last who gives his back lets another value have the memory,
// which costs less than new pages and their collection. A share that is never
// given back costs nothing but that: the collector finds the memory.
//
// A nil Memory is one that nobody counts.
type Memory struct {
	bytes  []byte
	shares atomic.Int32
	sum    atomic.Pointer[summed] // what was summed last
}

// summed is the checksum of bytes of a Memory.
type summed struct {
	first *byte
	size  int
	sum   uint32
}

// NewMemory is n bytes, with one share in them. They may hold anything: all of them
// are to be written before they are read.
func NewMemory(n int) *Memory {
	var m *Memory
	class, size := classOf(n)
	if class >= 0 {
		m, _ = released[class].Get().(*Memory)
	}
	if m == nil {
		m = &Memory{bytes: uncleared(size)}
	}
	m.shares.Store(1)
	m.sum.Store(nil)
	return m
}

// Sum is the checksum of b, which stands in the memory and is final: what take says, or
// has said the last time.
func (m *Memory) Sum(b []byte, take func([]byte) uint32) uint32 {
	if m == nil {
		return take(b)
	}
	first := unsafe.SliceData(b)
	if s := m.sum.Load(); s != nil && s.first == first && s.size == len(b) {
		return s.sum
	}
	s := &summed{first, len(b), take(b)}
	m.sum.Store(s)
	return s.sum
}

// Bytes is the memory: as much as was asked for, or some more.
func (m *Memory) Bytes() []byte { return m.bytes }

// Renew is NewMemory for whoever gives his share in m back: that is m itself if nobody
// else has a share in it and it has the size.
func (m *Memory) Renew(n int) *Memory {
	if _, size := classOf(n); m == nil || len(m.bytes) != size || m.IsShared() {
		m.Release()
		return NewMemory(n)
	}
	m.sum.Store(nil)
	if poisons.Load() {
		poisonAll(m.bytes)
	}
	return m
}

// IsShared reports whether there is more than one share.
func (m *Memory) IsShared() bool { return m != nil && m.shares.Load() > 1 }

// Retain makes one more share.
func (m *Memory) Retain() {
	if m != nil {
		m.shares.Add(1)
	}
}

// Release gives a share back.
func (m *Memory) Release() {
	if m == nil {
		return
	}
	switch left := m.shares.Add(-1); {
	case left < 0:
		panic("BUG: memory is released more often than it was shared")
	case left == 0:
		m.free()
	}
}

func (m *Memory) free() {
	if poisons.Load() {
		poisonAll(m.bytes)
		return
	}
	if class, size := classOf(len(m.bytes)); class >= 0 && size == len(m.bytes) {
		released[class].Put(m)
	}
}

// released is memory that waits to be used again, by size. What nobody needs the
// collector takes.
var released [(maxKept-minKept)*classes + 1]sync.Pool

// Memory of 1<<minKept to 1<<maxKept bytes is kept, in sizes of which there are so
// many between a power of two and the next.
const (
	minKept = 16
	maxKept = 25
	classes = 8
)

// classOf is the class of n bytes, -1 for none, and how many bytes one of it has.
func classOf(n int) (class, size int) {
	if n < 1<<minKept || n > 1<<maxKept {
		return -1, n
	}
	log := bits.Len(uint(n)) - 1
	step := 1 << log / classes
	size = (n + step - 1) / step * step
	return (log-minKept)*classes + size/step - classes, size
}

// uncleared is n bytes of memory that nobody has cleared: large memory that is
// cleared first is written twice.
func uncleared(n int) []byte {
	if n == 0 {
		return nil
	}
	var b strings.Builder // the one way to such memory
	b.Grow(n)
	b.WriteByte(0)
	m := unsafe.Slice(unsafe.StringData(b.String()), n)
	if poisons.Load() {
		poisonAll(m)
	}
	return m
}

func poisonAll(b []byte) {
	for i := range b {
		b[i] = poison
	}
}

// poison is what released memory holds after [Poison]: no number in any of the
// float types.
const poison = 0xff

var poisons atomic.Bool

// Poison is for tests: from now on memory is overwritten before it is used and when
// the last share in it is given back, and not used again, so that whoever reads it too
// early or too late is found out; and values of so many bytes are [Large] ones. Nothing else may run yet.
func Poison(from int) {
	poisons.Store(true)
	large = from
}
