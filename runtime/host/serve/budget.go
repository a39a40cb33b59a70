package serve

import (
	"math"
	"sync/atomic"

	"github.com/bbgen/bbgen/runtime/host/machine"
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

// defaultBudget is an eighth of the memory that the process may use, the rest being the model's: a request is
// kept several times while it is decoded. One request as large as may be always fits.
func defaultBudget(m *machine.Machine, maxRequest size) size {
	memory := min(m.Memory, math.MaxInt64)
	if memory == 0 {
		memory = machine.UsualMemory
	}
	return max(size(memory/8), 2*maxRequest)
}
