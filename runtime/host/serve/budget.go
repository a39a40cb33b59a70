package serve

import (
	"math"
	"sync/atomic"

	"github.com/bbgen/bbgen/runtime/host/machine"
)

// budget limits the memory of all active requests and answers.
type budget struct {
	left atomic.Int64 // negative while answers exceed the limit
}

func newBudget(n size) *budget {
	b := &budget{}
	b.left.Store(int64(n))
	return b
}

// take reserves n bytes, if that many are left.
func (b *budget) take(n int) bool {
	if b.left.Add(-int64(n)) >= 0 {
		return true
	}
	b.left.Add(int64(n))
	return false
}

// force reserves n bytes that are already in use; later requests wait for them.
func (b *budget) force(n int) { b.left.Add(-int64(n)) }

func (b *budget) put(n int) { b.left.Add(int64(n)) }

// defaultBudget is an eighth of the memory of the process; the rest is for the model, and a request is copied
// several times while it is decoded. One request of the maximum size always fits.
func defaultBudget(m *machine.Machine, maxRequest size) size {
	memory := min(m.Memory, math.MaxInt64)
	if memory == 0 {
		memory = machine.UsualMemory
	}
	return max(size(memory/8), 2*maxRequest)
}
