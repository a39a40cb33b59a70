package cpu

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// Panic is what a kernel panics with if one of the threads that share its work has panicked: what that one panicked with,
// and its stack, which names the line of a chain. If several have, it is the one with the lowest turn, so that it is the
// same for any number of threads.
type Panic struct {
	Value any
	stack []uintptr
}

// Stack is that of the thread that panicked, as runtime.Callers gives it.
func (p *Panic) Stack() []uintptr { return p.stack }

// Error is the value as text.
func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// Unwrap is the value if that is an error, nil otherwise.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// failures holds the panic of the loop at hand that has the lowest turn.
type failures struct {
	mu    sync.Mutex
	panic *Panic       // guarded by mu
	turn  atomic.Int64 // its turn; turns that come later need not run. noTurn if there is none; written under mu
}

const noTurn = math.MaxInt64

// add notes that a turn has panicked. It is called while the panic goes on.
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

// take returns the panic of a loop that is over, nil if no turn has panicked.
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
