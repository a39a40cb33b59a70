package cpu

import (
	"sync/atomic"
	"unsafe"
)

// freelist keeps values between calls, so that kernels allocate no more values than are in use at the same
// time. It has many shelves, so that threads rarely wait for each other.
type freelist[T any] struct {
	shelves [shelves]shelf[T]
}

const shelves = 32

// get returns a value that was put back, or a new one.
func (l *freelist[T]) get() *T {
	if x := l.take(); x != nil {
		return x
	}
	return new(T)
}

// take returns a value that was put back, or nil.
func (l *freelist[T]) take() *T {
	own := ownShelf()
	for i := range shelves {
		if x := l.shelves[(own+i)%shelves].take(); x != nil {
			return x
		}
	}
	return nil
}

// put keeps a value, unless all shelves are full. They have room for several values of each thread.
func (l *freelist[T]) put(x *T) {
	own := ownShelf()
	for i := range shelves {
		if l.shelves[(own+i)%shelves].put(x) {
			return
		}
	}
}

// ownShelf returns the shelf of the calling goroutine, which rarely changes during its life: goroutines are
// distinguished by the addresses of their stacks.
func ownShelf() int {
	var here byte
	const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ by the golden ratio: Knuth, The Art of Computer Programming, 6.4
	return int(uint64(uintptr(unsafe.Pointer(&here))>>13) * golden >> 32 % shelves)
}

// shelf is some places for values that fill a cache line. Taking and putting are one atomic instruction each, whoever else does it.
type shelf[T any] struct {
	free [8]atomic.Pointer[T]
}

func (s *shelf[T]) take() *T {
	for i := range s.free {
		if x := s.free[i].Load(); x != nil && s.free[i].CompareAndSwap(x, nil) {
			return x
		}
	}
	return nil
}

func (s *shelf[T]) put(x *T) bool {
	for i := range s.free {
		if s.free[i].Load() == nil && s.free[i].CompareAndSwap(nil, x) {
			return true
		}
	}
	return false
}
