package cpu

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// Panic is the panic of a kernel in which one of its threads has panicked: the value of that panic and the
// thread's stack, which contains the line of a chain. If several threads have panicked, it is the panic of
// the lowest turn, so that it is the same for any number of threads.
type Panic struct {
	Value any
	stack []uintptr
}

// Stack returns the stack of the thread that panicked, as runtime.Callers does.
func (p *Panic) Stack() []uintptr { return p.stack }

// Error returns the value as text.
func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// Unwrap returns the value if it is an error, otherwise nil.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// failures holds the panic of the present loop with the lowest turn.
type failures struct {
	mu    sync.Mutex
	panic *Panic       // guarded by mu
	turn  atomic.Int64 // its turn, or noTurn; later turns are not run. Written under mu
}

const noTurn = math.MaxInt64

// add records that a turn has panicked. It is called during the panic.
func (f *failures) add(turn int, value any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if int64(turn) > f.turn.Load() {
		return
	}
	stack := make([]uintptr, 64)
	f.panic = &Panic{value, stack[:runtime.Callers(1, stack)]}
	f.turn.Store(int64(turn))
}

// take returns the panic of a loop that has ended, or nil if no turn has panicked.
func (f *failures) take() *Panic {
	if f.turn.Load() == noTurn {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.panic
	f.panic = nil
	f.turn.Store(noTurn)
	return p
}
