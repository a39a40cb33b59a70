package output

import (
	"testing"
	"time"
)

// All accepted jobs run, in order.
func TestWorker(t *testing.T) {
	w, hold := newWorker(), make(chan bool)
	var done []int
	w.give(maxJobBytes, func() { <-hold })
	w.give(1, func() { t.Error("a job is done for which there is no room") })
	for i := range 10 {
		w.give(0, func() { done = append(done, i) })
	}
	if w.Flush(0) {
		t.Error("all is done, and nothing can be")
	}
	close(hold)
	if !w.Flush(time.Minute) || len(done) != 10 || done[9] != 9 || w.lostSoFar() != 1 {
		t.Errorf("done are %v", done)
	}
	w.close()
	if w.give(0, func() {}) {
		t.Error("a worker that is closed takes a job")
	}
}

// With no patience Flush never waits for a busy worker: the timer may fire before the wait begins.
func TestFlushWithoutPatience(t *testing.T) {
	w, hold := newWorker(), make(chan bool)
	defer w.close()
	defer close(hold)
	w.give(0, func() { <-hold })
	ended := make(chan bool)
	go func() {
		for range 20000 {
			w.Flush(0)
		}
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("it waits for the worker")
	}
}
