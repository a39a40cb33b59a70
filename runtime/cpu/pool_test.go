package cpu

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type countTask struct{ seen []int }

func (c *countTask) run(i int) { c.seen[i]++ }

func TestParallelRunsEachTurnOnce(t *testing.T) {
	defer SetThreads(0)
	for _, threads := range []int{1, 2, 3, 7} {
		SetThreads(threads)
		for _, n := range []int{0, 1, 2, 3, 50, 1000, 70000} {
			for range 20 {
				c := &countTask{seen: make([]int, n)}
				parallel(n, 1e6, c)
				for i, s := range c.seen {
					if s != 1 {
						t.Fatalf("%d threads: turn %d of %d ran %d times", threads, i, n, s)
					}
				}
			}
		}
	}
}

func TestParallelFromManyCallers(t *testing.T) {
	defer SetThreads(0)
	SetThreads(3)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for n := range 300 {
				c := &countTask{seen: make([]int, n)}
				parallel(n, 1e6, c)
				for i, s := range c.seen {
					if s != 1 {
						t.Errorf("turn %d of %d ran %d times", i, n, s)
					}
				}
			}
		})
	}
	wg.Wait()
}

type nestedTask struct{ inner [8]countTask }

func (n *nestedTask) run(i int) { parallel(100, 1e6, &n.inner[i]) }

func TestParallelNested(t *testing.T) {
	defer SetThreads(0)
	SetThreads(3)
	var c nestedTask
	for i := range c.inner {
		c.inner[i].seen = make([]int, 100)
	}
	parallel(len(c.inner), 1e6, &c)
	for i := range c.inner {
		for j, s := range c.inner[i].seen {
			if s != 1 {
				t.Fatalf("turn %d of %d ran %d times", j, i, s)
			}
		}
	}
}

func TestParallelAfterWorkersParked(t *testing.T) {
	defer SetThreads(0)
	SetThreads(2)
	for range 5 {
		c := &countTask{seen: make([]int, 100)}
		parallel(100, 1e6, c)
		time.Sleep(5 * time.Millisecond)
	}
}

type spinTask struct{ turns int }

func (s *spinTask) run(int) {
	x := 0
	for i := range s.turns {
		x += i
	}
	if x < 0 {
		panic("sums do not become negative")
	}
}

// BenchmarkForkJoin times loops in which each thread has a number of turns of about a microsecond.
func BenchmarkForkJoin(b *testing.B) {
	defer SetThreads(0)
	for _, turns := range []int{1, 8} {
		for threads := 1; threads <= runtime.GOMAXPROCS(0); threads *= 2 {
			b.Run(fmt.Sprintf("turns=%d/threads=%d", turns, threads), func(b *testing.B) {
				SetThreads(threads)
				s := &spinTask{1000}
				for b.Loop() {
					parallel(turns*threads, 1e6, s)
				}
			})
		}
	}
}

// Workers report the turns that they take; the caller does not.
func TestOnTurns(t *testing.T) {
	var told atomic.Int32
	OnTurns(func() { told.Add(1) })
	defer onTurn.Store(nil)
	defer SetThreads(0)
	SetThreads(1)
	parallel(4, 1e9, &countTask{make([]int, 4)})
	if n := told.Load(); n != 0 {
		t.Errorf("without workers: told of %d turns", n)
	}
	p := newPool(2)
	p.run(2, 1e9, waits{&told})
	if n := told.Load(); n < 1 || n > 2 { // 2 if the caller comes too late for its own
		t.Errorf("a worker has taken one turn, or both: told of %d", n)
	}
}

// waits is a loop whose first turn waits until a worker reports the other one.
type waits struct{ told *atomic.Int32 }

func (w waits) run(turn int) {
	for turn == 0 && w.told.Load() == 0 {
		runtime.Gosched()
	}
}

func TestShareGivesEachTurnOnce(t *testing.T) {
	const n = 1000
	p := newPool(1)
	p.threads[0].turns.Store(6<<32 | 3<<16 | 2)
	l := loop(7<<32 | n<<16 | 1)
	var seen [n]atomic.Int32
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for turn, ok := p.claim(l, 0, i > 0); ok; turn, ok = p.claim(l, 0, i > 0) {
				seen[turn].Add(1)
			}
		})
	}
	wg.Wait()
	for i := range seen {
		if got := seen[i].Load(); got != 1 {
			t.Errorf("turn %d was given %d times", i, got)
		}
	}
}

// If the number of threads was reduced, superfluous workers sleep, too: one of the others must be woken.
func TestWorkersComeAfterThreadsWereFewer(t *testing.T) {
	defer SetThreads(0)
	var came atomic.Bool
	OnTurns(func() { came.Store(true) })
	defer onTurn.Store(nil)
	for _, threads := range []int{5, 2, 5, 2} {
		SetThreads(threads)
		time.Sleep(5 * time.Millisecond) // until they park
		came.Store(false)
		for loops, start := 0, time.Now(); !came.Load(); loops++ {
			parallel(10000, 1e6, &countTask{make([]int, 10000)})
			if loops > 10000 && time.Since(start) > time.Minute {
				t.Fatalf("with %d threads no worker came", threads)
			}
		}
	}
}

// The first of four shares of three turns is empty. Its epoch is still recognized as old after billions of
// such loops.
func TestLoopsGoOnWhenEpochsComeRound(t *testing.T) {
	p := newPool(4)
	for round := range uint64(3) {
		p.loop.Store(((round+1)*epochs - 2) << 32)
		for range 3 {
			c := &countTask{make([]int, 3)}
			p.run(3, 1e9, c)
			if !slices.Equal(c.seen, []int{1, 1, 1}) {
				t.Fatalf("in epoch %d: turns ran %v times", loop(p.loop.Load()).epoch(), c.seen)
			}
		}
	}
	if turn, ok := p.claim(p.next(4, 4), 0, false); turn != 0 || !ok {
		t.Errorf("of a share that has always been empty turn %d, claimed: %t", turn, ok)
	}
}

// collects is a loop whose turns wait for the garbage collector, which must scan the stack of the waiting
// caller.
type collects struct{ waits }

func (c collects) run(turn int) {
	if turn > 0 {
		runtime.GC()
	}
	c.waits.run(turn)
}

func TestWorkersMayAllocateWhileTheCallerWaits(t *testing.T) {
	defer onTurn.Store(nil)
	var told atomic.Int32
	OnTurns(func() { told.Add(1) })
	p := newPool(2)
	for range 50 {
		told.Store(0)
		p.run(2, 1e9, collects{waits{&told}})
	}
}

func TestFreelistGivesBackWhatWasPut(t *testing.T) {
	var l freelist[int]
	seen := map[*int]bool{}
	for range 100 {
		x := l.get()
		if seen[x] {
			t.Fatal("one value was given twice")
		}
		seen[x] = true
	}
	for x := range seen {
		l.put(x)
	}
	for range 100 {
		if x := l.get(); !seen[x] {
			t.Fatal("a value is new though others were put back")
		} else {
			delete(seen, x)
		}
	}
}
