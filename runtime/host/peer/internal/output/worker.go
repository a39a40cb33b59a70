package output

import (
	"sync"
	"time"
)

// worker runs jobs in order with a goroutine of its own, for work that may wait for a disk or a pipe. Its queue
// is limited.
type worker struct {
	mu     sync.Mutex
	wake   sync.Cond // signals a new job, or the end of one
	jobs   []work
	size   int    // of the waiting jobs
	given  uint64 // jobs so far
	done   uint64
	lost   uint64 // for which there was no room
	closed bool
}

type work struct {
	size int
	do   func()
}

// The limits of the queue.
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

// give queues a job that keeps size bytes in memory. It reports whether there is room, beside the jobs that wait and the
// one that runs; a job that is alone always fits.
func (w *worker) give(size int, do func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(w.jobs) >= maxJobs || w.size > 0 && w.size+size > maxJobBytes {
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

// lostSoFar returns how many jobs were dropped since the last call.
func (w *worker) lostSoFar() (n uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, w.lost = w.lost, 0
	return n
}

// Flush waits until all jobs queued so far are done. It gives up if no job ends for the time patience. It
// reports whether all are done.
func (w *worker) Flush(patience time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	until, last, end := w.given, w.done, time.Now().Add(patience) // the timer decides when it is over
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

// wakeAll wakes all waiting goroutines. It takes the lock, so that none of them is between its check and its
// wait.
func (w *worker) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wake.Broadcast()
}

// close accepts no more jobs.
func (w *worker) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.wake.Broadcast()
}
