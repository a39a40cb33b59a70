package tensor

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Memory is the memory of a [Large] value with a reference count: each reader holds a reference, and when the
// last one is released the memory can be reused for another value, which is cheaper than new pages and their
// collection. If a reference is never released, the memory is not reused, but the garbage collector still frees
// it.
//
// A nil Memory has no reference count.
type Memory struct {
	bytes  []byte
	shares atomic.Int32
	sum    atomic.Pointer[summed] // the latest checksum
}

// summed is the checksum of bytes of a Memory.
type summed struct {
	first *byte
	size  int
	sum   uint32
}

// NewMemory returns n bytes with one reference. Their contents are arbitrary: write all of them before you read
// them.
func NewMemory(n int) *Memory {
	var m *Memory
	class, size := classOf(n)
	switch {
	case class >= 0:
		m, _ = released[class].Get().(*Memory)
	case n > 1<<maxKept:
		m = spare.take(n)
	}
	if m == nil {
		m = &Memory{bytes: make([]byte, size)}
		poisonIf(m.bytes)
	}
	m.shares.Store(1)
	m.sum.Store(nil)
	return m
}

// Sum returns the checksum of b, which is in the memory and final: the result of take, or its stored result for
// the same bytes.
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

// Bytes returns the memory: n bytes as requested, or some more.
func (m *Memory) Bytes() []byte { return m.bytes }

// Renew returns memory of n bytes with arbitrary contents, like [NewMemory], and takes over the caller's
// reference to m. It returns m itself if m has the size and no other reference.
func (m *Memory) Renew(n int) *Memory {
	if _, size := classOf(n); m == nil || len(m.bytes) != size || m.IsShared() {
		m.Release()
		return NewMemory(n)
	}
	m.sum.Store(nil)
	poisonIf(m.bytes)
	return m
}

// IsShared reports whether m has more than one reference.
func (m *Memory) IsShared() bool { return m != nil && m.shares.Load() > 1 }

// Retain adds a reference.
func (m *Memory) Retain() {
	if m != nil {
		m.shares.Add(1)
	}
}

// Release releases a reference.
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
	if poisonIf(m.bytes) {
		return
	}
	switch class, size := classOf(len(m.bytes)); {
	case class >= 0 && size == len(m.bytes):
		released[class].Put(m)
	case size > 1<<maxKept:
		spare.put(m)
	}
}

// released is memory that waits for reuse, by size. The garbage collector may free it.
var released [(maxKept-minKept)*classes + 1]sync.Pool

// Memory of 1<<minKept to 1<<maxKept bytes is kept, with this number of size classes between a power of two and
// the next. Larger memory is [spare].
const (
	minKept = 16
	maxKept = 25
	classes = 8
)

// classOf returns the size class of n bytes, or -1 if there is none, and the size of its memory.
func classOf(n int) (class, size int) {
	if n < 1<<minKept || n > 1<<maxKept {
		return -1, n
	}
	log := bits.Len(uint(n)) - 1
	step := 1 << log / classes
	size = (n + step - 1) / step * step
	return (log-minKept)*classes + size/step - classes, size
}

// poisonIf overwrites b after [Poison], and reports whether it did.
func poisonIf(b []byte) bool {
	if poisonFrom.Load() == 0 {
		return false
	}
	for i := range b {
		b[i] = poison
	}
	return true
}

// poison is the value of released memory after [Poison]: NaN in all float types.
const poison = 0xff

// poisonFrom is the size of [Poison], or 0 before it is called. It is atomic, as goroutines of an earlier test may still read
// it.
var poisonFrom atomic.Int32

// Poison is for tests: from now on memory is overwritten before it is used and when its last reference is
// released, and it is not reused, so that reads that are too early or too late are found; and values of from
// bytes and more, at least one, are [Large]. Call it before anything else runs.
func Poison(from int) { poisonFrom.Store(int32(from)) }
