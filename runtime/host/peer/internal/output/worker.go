package output

import (
	"sync"
	"time"
)

// worker does jobs in order on a goroutine of its own: what may wait for a disk or a
// pipe is no job for the loop. What waits is bounded.
type worker struct {
	mu     sync.Mutex
	wake   sync.Cond // says that there is a job, or that one is done
	jobs   []work
	size   int    // of those that wait
	given  uint64 // jobs so far
	done   uint64
	lost   uint64 // that there was no room for
	closed bool
}

type work struct {
	size int
	do   func()
}

// What may wait for a worker.
const (
	maxJobs     = 16 << 10
	maxJobBytes = 256 << 20
)

func newWorker() *worker {
	w := &worker{}
	w.wake.L = &w.mu
	go w.run()
	return w
}

// give has a job done that keeps so many bytes until then. It reports whether there is
// room for it: for one there always is.
func (w *worker) give(size int, do func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(w.jobs) > 0 && (len(w.jobs) >= maxJobs || w.size+size > maxJobBytes) {
		w.lost++
		return false
	}
	w.jobs = append(w.jobs, work{size, do})
	w.size += size
	w.given++
	w.wake.Broadcast()
	return true
}

func (w *worker) run() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.jobs) == 0 && !w.closed {
			w.wake.Wait()
		}
		if len(w.jobs) == 0 {
			return
		}
		list := w.jobs
		w.jobs = nil
		for i := range list {
			w.mu.Unlock()
			list[i].do()
			w.mu.Lock()
			w.size -= list[i].size
			w.done++
			list[i].do = nil
			w.wake.Broadcast()
		}
	}
}

// lostSoFar returns how many jobs there was no room for since it was asked last.
func (w *worker) lostSoFar() (n uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, w.lost = w.lost, 0
	return n
}

// Flush waits until all is done that was given before, but no longer than so long
// without one more being done. It reports whether it is.
func (w *worker) Flush(patience time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	until, last, end := w.given, w.done, time.Now().Add(patience) // it is over when the timer says so
	late := time.AfterFunc(patience, w.wakeAll)
	defer late.Stop()
	for w.done < until {
		w.wake.Wait()
		switch {
		case w.done > last:
			last, end = w.done, time.Now().Add(patience)
			late.Reset(patience)
		case !time.Now().Before(end):
			return w.done >= until
		}
	}
	return true
}

// wakeAll has those that wait look again. It takes the lock, so that nobody is between
// looking and waiting.
func (w *worker) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wake.Broadcast()
}

// close takes no more jobs.
func (w *worker) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.wake.Broadcast()
}
