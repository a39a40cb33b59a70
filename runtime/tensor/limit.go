package tensor

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"unsafe"
)

// limit is what [SetLimit] has set, 0 before.
var limit atomic.Int64

// SetLimit bounds the bytes that one tensor may have, as far as its size is known only
// when a program runs. A run that wants more returns an error before it allocates, where
// Go would end the process. Hosts set the memory of the machine; 0 goes back to what
// holds without them, see [Limit].
func SetLimit(bytes uint64) { limit.Store(int64(min(bytes, math.MaxInt64))) }

// Limit is how many bytes one tensor may have: what [SetLimit] has set or else 1 TiB, at
// most what GOMEMLIMIT says, and at most half of the addresses on 32 bits.
func Limit() int {
	n := limit.Load()
	if n == 0 {
		n = 1 << 40
	}
	return int(min(n, debug.SetMemoryLimit(-1), math.MaxInt))
}

// SizeError is a tensor that would be larger than [Limit] allows.
type SizeError struct {
	Shape   []int // nil if only the number of elements is known
	Wanted  string
	Allowed int // bytes
}

func (e *SizeError) Error() string {
	what := "a tensor"
	if e.Shape != nil {
		what = fmt.Sprintf("a tensor of shape %v", e.Shape)
	}
	return fmt.Sprintf("%s would have %s, more than the limit of %d bytes", what, e.Wanted, e.Allowed)
}

// CheckSize is an error if a tensor of a shape, whose elements have so many bytes, is
// larger than [Limit] allows. Strings are said to have none.
func CheckSize(size int, shape []int) error {
	if size == 0 {
		size = int(unsafe.Sizeof(""))
	}
	most := Limit()
	n, ok := within(shape, most/size)
	if ok {
		return nil
	}
	e := &SizeError{Shape: slices.Clone(shape), Wanted: elements(n, size), Allowed: most}
	if n < 0 {
		e.Wanted = "more elements than can be counted"
	}
	return e
}

// within is the number of elements of a shape, and whether that is at most so many: -1
// if it overflows.
func within(shape []int, most int) (n int, ok bool) {
	n = 1
	for _, d := range shape {
		switch {
		case d == 0:
			return 0, true
		case n < 0 || d < 0 || n > math.MaxInt/d:
			n = -1
		default:
			n *= d
		}
	}
	return n, n >= 0 && n <= most
}

func elements(n, size int) string { return fmt.Sprintf("%d elements of %d bytes", n, size) }
