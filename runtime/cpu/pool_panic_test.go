package cpu

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// failingTask is a loop some of whose turns fail: those from first on, every step-th.
type failingTask struct {
	seen        []atomic.Int32
	first, step int
	over        *atomic.Bool // the caller has its memory back
	late        atomic.Int32 // turns that were run nevertheless
}

func (f *failingTask) run(i int) {
	if f.over.Load() {
		f.late.Add(1)
	}
	f.seen[i].Add(1)
	if i >= f.first && (i-f.first)%f.step == 0 {
		fail("Failing", "turn %d fails", i)
	}
}

// caught returns the panic of f.
func caught(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

// TestPanicOfATurnReachesTheCaller makes turns of a loop fail, on any thread: the caller panics with the value
// of the first one, every turn before it has run once, and no turn after it is run.
func TestPanicOfATurnReachesTheCaller(t *testing.T) {
	defer SetThreads(0)
	for _, threads := range []int{1, 2, 4, 7} {
		SetThreads(threads)
		for _, n := range []int{2, 50, 1000, 70000, 140000} {
			for _, first := range []int{0, 1, n / 2, n - 1} {
				for _, step := range []int{1, 7, n} {
					var over atomic.Bool
					f := &failingTask{seen: make([]atomic.Int32, n), first: first, step: step, over: &over}
					r := caught(func() { parallel(n, 1e6, f) })
					over.Store(true)
					err, _ := r.(error)
					var e *Error
					if !errors.As(err, &e) || e.Error() != "Failing: turn "+itoa(first)+" fails" {
						t.Fatalf("%d threads, %d turns: panicked with %v, want that of turn %d", threads, n, r, first)
					}
					for i := range f.seen {
						if s := f.seen[i].Load(); s > 1 || s == 0 && i <= first {
							t.Fatalf("%d threads: turn %d of %d ran %d times, turn %d fails", threads, i, n, s, first)
						}
					}
					if late := f.late.Load(); late > 0 {
						t.Fatalf("%d threads: %d turns ran after the caller had its memory back", threads, late)
					}
					c := &countTask{seen: make([]int, n)}
					parallel(n, 1e6, c)
					for i, s := range c.seen {
						if s != 1 {
							t.Fatalf("%d threads: after a panic turn %d of %d ran %d times", threads, i, n, s)
						}
					}
				}
			}
		}
	}
}

func itoa(n int) string { return strings.Trim(listed([]int{n}), "[]") }

// crossTask is a loop of two turns that wait for each other: it only ends if two threads run it.
type crossTask struct{ came [2]atomic.Bool }

func (c *crossTask) run(i int) {
	c.came[i].Store(true)
	for !c.came[1-i].Load() {
		runtime.Gosched()
	}
}

// TestLoopsAreSharedAfterAPanic: after panics of the caller's turns and of workers' turns, a loop that needs
// two threads still ends.
func TestLoopsAreSharedAfterAPanic(t *testing.T) {
	defer SetThreads(0)
	SetThreads(2)
	var over atomic.Bool
	for range 200 {
		f := &failingTask{seen: make([]atomic.Int32, 64), step: 1, over: &over}
		if caught(func() { parallel(64, 1e8, f) }) == nil {
			t.Fatal("no panic")
		}
	}
	parallel(2, 1e8, &crossTask{})
}

// TestPanicTellsWhereItBegan: the stack of the panicking thread contains the turn, for any thread.
func TestPanicTellsWhereItBegan(t *testing.T) {
	defer SetThreads(0)
	SetThreads(2)
	var over atomic.Bool
	f := &failingTask{seen: make([]atomic.Int32, 64), step: 1, over: &over}
	p, ok := caught(func() { parallel(64, 1e8, f) }).(*Panic)
	if !ok {
		t.Fatalf("want a *Panic")
	}
	frames := runtime.CallersFrames(p.Stack())
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, "(*failingTask).run") {
			return
		}
		if !more {
			t.Fatal("the stack does not name the turn")
		}
	}
}

// oddTask panics with a value that is not an error.
type oddTask struct{}

func (oddTask) run(int) { panic("BUG: odd") }

func TestPanicWithWhatIsNoError(t *testing.T) {
	defer SetThreads(0)
	SetThreads(3)
	p, ok := caught(func() { parallel(64, 1e8, oddTask{}) }).(*Panic)
	if !ok || p.Value != "BUG: odd" || p.Error() != "BUG: odd" || p.Unwrap() != nil {
		t.Errorf("got %#v", p)
	}
}

// TestLoopsAllocateNothing: catching panics needs no allocation.
func TestLoopsAllocateNothing(t *testing.T) {
	defer SetThreads(0)
	SetThreads(2)
	c := &countTask{seen: make([]int, 64)}
	parallel(64, 1e6, c)
	if n := allocations(100, func() { parallel(64, 1e6, c) }); n > 0 {
		t.Errorf("a loop allocates %v times", n)
	}
}
