package serve

import (
	"math"
	"runtime/debug"
	"sync/atomic"
)

// budget bounds the memory of the requests and answers that are under way.
type budget struct {
	left atomic.Int64 // below 0 while answers have more than that
}

func newBudget(n size) *budget {
	b := &budget{}
	b.left.Store(int64(n))
	return b
}

// take reserves n bytes, if there are as many.
func (b *budget) take(n int) bool {
	if b.left.Add(-int64(n)) >= 0 {
		return true
	}
	b.left.Add(int64(n))
	return false
}

// force reserves n bytes that are there already: others wait for them.
func (b *budget) force(n int) { b.left.Add(-int64(n)) }

func (b *budget) put(n int) { b.left.Add(int64(n)) }

// usualMemory is what a machine is taken to have if nobody has said how much this process may use.
const usualMemory = 2 << 30

// defaultBudget is an eighth of the memory that the process may use (GOMEMLIMIT), the rest being the model's: a request is
// kept several times while it is decoded. One request as large as may be always fits.
func defaultBudget(maxRequest size) size {
	memory := debug.SetMemoryLimit(-1)
	if memory == math.MaxInt64 {
		memory = usualMemory
	}
	return max(size(memory/8), 2*maxRequest)
}
