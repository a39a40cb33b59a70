package columnar

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

var goAllocator = memory.NewGoAllocator()

// maxRatio is how much larger than the file the values of a record batch may be, since they may be compressed.
const maxRatio = 1000

// maxLinesOf returns how many lines a file of some size may have. A line without columns, or of lists without elements, takes no
// place in a file, which could claim any number.
func maxLinesOf(size int64) int64 {
	if size > math.MaxInt64/(2*maxRatio) {
		return math.MaxInt64
	}
	return 1<<20 + size*maxRatio
}

// limited allocates memory for values of an Arrow file. It panics if one of them, or all, claim more than the file
// can hold; the reader turns that into an error.
type limited struct {
	one, all int64
	used     atomic.Int64
}

func newLimited(size int64) *limited {
	one := int64(maxBatch)
	if size < maxBatch/maxRatio {
		one = 1<<20 + size*maxRatio
	}
	return &limited{one: one, all: 4 * one}
}

func (l *limited) take(size int) {
	if n := l.used.Add(int64(size)); int64(size) > l.one || n > l.all {
		panic(fmt.Errorf("a value of %d bytes, want at most %d, and %d in all", size, l.one, l.all))
	}
}

// Allocate returns a slice whose address is a multiple of 64, as the library expects it.
func (l *limited) Allocate(size int) []byte {
	l.take(size)
	return goAllocator.Allocate(size)
}

// Reallocate returns a slice with the beginning of another one.
func (l *limited) Reallocate(size int, b []byte) []byte {
	l.take(size - len(b))
	return goAllocator.Reallocate(size, b)
}

// Free gives a slice back.
func (l *limited) Free(b []byte) { l.used.Add(-int64(len(b))) }
