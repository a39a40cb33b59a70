package server

import (
	"fmt"
	"sync"
)

// account counts memory: of the server, of a client, or of a session. It also counts in the account above.
type account struct {
	whose string
	above *account

	mu    sync.Mutex
	used  int
	limit int
	over  bool // closed: later calls of Give have no effect
}

// memoryError is the error for memory above a limit.
type memoryError struct {
	whose               string
	wanted, used, limit int
}

func (e *memoryError) Error() string {
	return fmt.Sprintf("%d bytes more than the %d that %s uses are over the limit of %d: release tensors that are not needed any more", e.wanted, e.used, e.whose, e.limit)
}

// Take counts bytes before they are allocated.
func (a *account) Take(n int) error {
	a.mu.Lock()
	if n < 0 || n > a.limit-a.used {
		defer a.mu.Unlock()
		return &memoryError{a.whose, n, a.used, a.limit}
	}
	a.used += n
	a.mu.Unlock()
	if a.above == nil {
		return nil
	}
	err := a.above.Take(n)
	if err != nil {
		a.mu.Lock()
		a.used -= n
		a.mu.Unlock()
	}
	return err
}

// Give counts bytes that are not needed any more.
func (a *account) Give(n int) {
	a.mu.Lock()
	if a.over {
		a.mu.Unlock()
		return
	}
	a.used -= n
	if a.used < 0 {
		panic(fmt.Sprintf("BUG: %s has given back %d bytes more than it took", a.whose, -a.used))
	}
	a.mu.Unlock()
	if a.above != nil {
		a.above.Give(n)
	}
}

// close gives back all counted memory. Later calls have no effect.
func (a *account) close() {
	a.mu.Lock()
	n := a.used
	a.used, a.over, a.limit = 0, true, 0 // at once: a download of another server may give memory back meanwhile
	a.mu.Unlock()
	if a.above != nil {
		a.above.Give(n)
	}
}

// inUse returns the counted memory.
func (a *account) inUse() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used
}
