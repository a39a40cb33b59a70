package tensor

import (
	"fmt"
	"slices"
	"unsafe"
)

// alignment is that of a cache line and of the widest vector register.
const alignment = 64

// View returns n elements of buffer b from byte off on, as a slice of T over the same memory. It panics for a
// view outside of b, or at an address that T's alignment forbids, as offsets come from the compiler's own
// memory plan.
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

// In returns a tensor whose elements are in buffer b from byte off on, as in [View].
func In(b []byte, off int, d DType, shape ...int) *Tensor {
	n, err := NumElements(shape)
	if err != nil {
		panic("BUG: tensor.In: " + err.Error())
	}
	return &Tensor{DType: d, Shape: slices.Clone(shape), Data: storages[d].view(b[off:], n)}
}

// Grow returns s with length n. If the capacity is too small, it allocates, and the contents are lost. Elements
// are arbitrary: write all of them before you read them. It panics with a [SizeError] rather than allocate more
// than [Limit] allows.
func Grow[T Element](s []T, n int) []T {
	if uint(n) > uint(cap(s)) {
		return fresh[T](n)
	}
	return s[:n]
}

// fresh returns n elements. Tests find reads of those of a large value that nobody has written: see [Poison].
func fresh[T Element](n int) []T {
	var x T
	each := int(unsafe.Sizeof(x))
	if most := Limit(); n < 0 || n > most/each { // negative: a product of sizes has overflowed
		panic(&SizeError{Wanted: elements(n, each), Allowed: most})
	}
	s := make([]T, n)
	if _, text := any(x).(string); !text && isLarge(s) {
		poisonIf(bytesOf(s))
	}
	return s
}

// Aligned returns n zeroed bytes at an address that is a multiple of 64. If the system has large pages, a large buffer begins with
// one, and buffers that are not small request them.
//
// It is not inlined, so that the bytes are on the heap: a stack can move.
//
//go:noinline
func Aligned(n int) []byte {
	pages, to := inLargePages(n), alignment
	if pages > 0 {
		to = largePage
	}
	b := make([]byte, max(n, pages)+to-1)
	off := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % uintptr(to))
	if n >= largePage/8 {
		requestLargePages(b[off : off+max(n, pages)])
	}
	return b[off : off+n : off+n]
}

// largePage is the size of a large page if small ones have 4 KiB.
const largePage = 2 << 20

// inLargePages returns how much memory a buffer of n bytes has in large pages: nothing if it is smaller than one. The last one is
// filled at least by half.
func inLargePages(n int) int {
	if !hasLargePages || n < largePage {
		return 0
	}
	return (n + largePage/2) / largePage * largePage
}

func bytesOfString(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// onLine reports whether b begins at the beginning of a cache line.
func onLine(b []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%alignment == 0
}

func aligned8(b []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 == 0 }
