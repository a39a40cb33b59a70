package tensor

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"unsafe"
)

// limit is the value of [SetLimit], 0 before.
var limit atomic.Int64

// SetLimit bounds the size in bytes of one tensor, for sizes that are known only at run time. A run that needs
// a larger tensor returns an error before it allocates; otherwise Go would end the process. Hosts set the
// memory of the machine; 0 restores the default, see [Limit].
func SetLimit(bytes uint64) { limit.Store(int64(min(bytes, math.MaxInt64))) }

// Limit returns how many bytes one tensor may have: the value of [SetLimit], or 1 TiB, but at most GOMEMLIMIT,
// and at most half of the address space on 32 bits.
func Limit() int {
	n := limit.Load()
	if n == 0 {
		n = 1 << 40
	}
	return int(min(n, debug.SetMemoryLimit(-1), math.MaxInt))
}

// SizeError reports a tensor that would be larger than [Limit] allows.
type SizeError struct {
	Shape   []int // nil if only the number of elements is known
	Wanted  string
	Allowed int // bytes
}

// Error returns the shape if it is known, the size of such a tensor, and the limit.
func (e *SizeError) Error() string {
	what := "a tensor"
	if e.Shape != nil {
		what = fmt.Sprintf("a tensor of shape %v", e.Shape)
	}
	return fmt.Sprintf("%s would have %s, more than the limit of %d bytes", what, e.Wanted, e.Allowed)
}

// CheckSize returns an error if a tensor of a shape with elements of size bytes is larger than [Limit] allows.
// For strings size is 0.
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

// within returns the number of elements of a shape, or -1 if it overflows, and whether it is at most most.
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
