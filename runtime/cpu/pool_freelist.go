package cpu

import (
	"runtime"
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

// shelf is a stack of values that fills a cache line.
type shelf[T any] struct {
	spinLock
	n    atomic.Int32
	free [7]*T
}

func (s *shelf[T]) take() (x *T) {
	if s.n.Load() == 0 {
		return nil
	}
	s.lock()
	defer s.unlock()
	if n := s.n.Load(); n > 0 {
		x, s.free[n-1] = s.free[n-1], nil
		s.n.Store(n - 1)
	}
	return x
}

func (s *shelf[T]) put(x *T) bool {
	s.lock()
	defer s.unlock()
	n := int(s.n.Load())
	if n == len(s.free) {
		return false
	}
	s.free[n] = x
	s.n.Store(int32(n + 1))
	return true
}

// spinLock guards a few instructions. Turns of a loop contend for it so often that putting threads to sleep, as
// a sync.Mutex does, would be too slow.
type spinLock struct{ held atomic.Bool }

func (l *spinLock) lock() {
	for spins := 1; !l.held.CompareAndSwap(false, true); spins++ {
		pause(1)
		if spins%yieldSpins == 0 { // the thread that holds it may have been stopped
			runtime.Gosched()
		}
	}
}

func (l *spinLock) unlock() { l.held.Store(false) }
