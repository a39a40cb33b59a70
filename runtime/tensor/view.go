package tensor

import (
	"fmt"
	"slices"
	"unsafe"
)

// alignment is that of a cache line and of the widest vector register.
const alignment = 64

// View is n elements of buffer b from byte off on, as a slice of T over the
// same memory. A view outside b, or at an address that T's alignment forbids,
// panics: offsets come from the compiler's own memory plan.
//
// NB: a view of bool must only be read where the bytes are 0 or 1.
func View[T Element](b []byte, off, n int) []T {
	var x T
	size := int(unsafe.Sizeof(x))
	if off < 0 || n < 0 || off > len(b) || n > (len(b)-off)/size {
		panic(fmt.Sprintf("BUG: tensor.View: %d elements of %v at byte %d of %d", n, DTypeOf[T](), off, len(b)))
	}
	if _, ok := any(x).(string); ok {
		panic("BUG: tensor.View: strings have no bytes to view")
	}
	if n == 0 {
		return []T{}
	}
	p := unsafe.Pointer(&b[off])
	if uintptr(p)%unsafe.Alignof(x) != 0 {
		panic(fmt.Sprintf("BUG: tensor.View: byte %d is not aligned for %v", off, DTypeOf[T]()))
	}
	return unsafe.Slice((*T)(p), n)
}

// In is a tensor whose elements are in buffer b from byte off on, as [View] has them.
func In(b []byte, off int, d DType, shape ...int) *Tensor {
	n, err := NumElements(shape)
	if err != nil {
		panic("BUG: tensor.In: " + err.Error())
	}
	return &Tensor{DType: d, Shape: slices.Clone(shape), Data: storages[d].view(b[off:], n)}
}

// Grow returns s with length n. It allocates when the capacity is too small,
// and then the contents are lost. Elements may be anything: all of them are to be
// written before they are read. It panics with a [SizeError] rather than allocate more
// than [Limit] allows.
func Grow[T Element](s []T, n int) []T {
	if uint(n) > uint(cap(s)) {
		return fresh[T](n)
	}
	return s[:n]
}

// fresh is n elements, which nobody has cleared if they are a large value.
func fresh[T Element](n int) []T {
	var x T
	each := int(unsafe.Sizeof(x))
	if most := Limit(); n < 0 || n > most/each { // below 0: a product of sizes has overflowed
		panic(&SizeError{Wanted: elements(n, each), Allowed: most})
	}
	size := n * each
	if _, text := any(x).(string); text || !AreLarge(size) {
		return make([]T, n)
	}
	return View[T](uncleared(size), 0, n)
}

// Aligned returns n zeroed bytes at an address that is a multiple of 64. Large buffers ask for large pages.
//
// It is not inlined, so that the bytes are on the heap: a stack moves.
//
//go:noinline
func Aligned(n int) []byte {
	b := make([]byte, n+alignment-1)
	largePages(b)
	off := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % alignment)
	return b[off : off+n : off+n]
}

func bytesOfString(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// onLine reports whether b begins with a cache line.
func onLine(b []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%alignment == 0
}

func aligned8(b []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 == 0 }
