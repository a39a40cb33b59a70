package cpu

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A task is a loop whose turns may run in any order and at the same time. Kernels keep their tasks in a [freelist], so
// that a parallel loop allocates nothing.
type task interface{ run(i int) }

// serialCost is the work in nanoseconds below which a loop runs on one thread: a worker needs a microsecond
// to notice it, and then loads the data from the caller's cache.
const serialCost = 6000

// parallel runs t.run(0) … t.run(n-1) and returns when all have returned. The cost is the estimated time of
// the whole loop in nanoseconds. Turns must write to separate places. A thread takes consecutive turns,
// usually those of the same share of each loop, but that is not guaranteed.
func parallel(n, cost int, t task) {
	if n > 1 && cost > serialCost && workers.run(n, cost, t) {
		return
	}
	for i := range n {
		t.run(i)
	}
}

// SetThreads lets kernels use n threads, including the caller's. If n < 1 it is the default: GOMAXPROCS at
// the start of the program. The bits of results are the same for any n.
func SetThreads(n int) {
	if n < 1 {
		n = defaultThreads
	}
	workers.limit.Store(int32(min(n, maxThreads)))
}

// Threads returns the maximum number of threads of a kernel.
func Threads() int { return int(workers.limit.Load()) }

const maxThreads = 256

var (
	defaultThreads = min(runtime.GOMAXPROCS(0), maxThreads)
	workers        = newPool(defaultThreads)
)

// pool is a set of workers that look for turns of the present loop, spin when there are none, and park after
// a while. The caller does not wait for workers: it takes turns as well, if necessary all of them, and then
// waits for those that workers have claimed. One loop is shared at a time; a second caller runs its own loop
// alone. When a turn panics, later ones are claimed and not run, and the caller panics when all have ended.
type pool struct {
	mu      sync.Mutex // held by the caller whose loop is shared
	started int        // the number of workers
	unseen  int        // work in nanoseconds since workers were woken
	_       [40]byte

	// The fields that spinning workers read are in one cache line, which a loop changes once.
	loop   atomic.Uint64 // the latest one
	shared atomic.Uint64 // the number of turns of all loops so far
	enough atomic.Int64  // the work for which sleeping workers are woken
	task   task          // Invariant: read only by threads that have claimed a turn
	base   int           // number of the first turn
	limit  atomic.Int32  // including the caller's
	_      [12]byte

	failures failures
	_        [40]byte

	threads [maxThreads]thread // the first one is the caller's
}

// thread is the pool's data about a thread. The fields that the thread writes, those that others write, and
// those that only the caller reads are in separate cache lines.
type thread struct {
	turns atomic.Uint64 // epoch<<32 | end<<16 | next, of the unclaimed turns of its share of that loop
	_     [56]byte
	done  atomic.Uint64 // the number of turns that it has run, of all loops
	_     [56]byte
	sleeper
}

// loop is the division of a loop's turns: epoch<<32 | turns<<16 | threads. Each thread begins with a share. It
// takes the turns of its share in order, and so finds in its own cache what it wrote there in its share of the
// previous loop. A thread that has finished its share takes the last turns of others. Beginning a loop is
// writing one word: the first thread that claims a turn of a share initializes the share.
type loop uint64

func (l loop) epoch() uint32 { return uint32(l >> 32) }
func (l loop) threads() int  { return int(l & 0xffff) }

// share returns the share with which thread i begins, in the format of thread.turns.
func (l loop) share(i int) uint64 {
	n, threads := uint64(l>>16&0xffff), uint64(l&0xffff)
	return uint64(l)>>32<<32 | uint64(i+1)*n/threads<<16 | uint64(i)*n/threads
}

// claim claims the first remaining turn of a thread's share of a loop, or the last one. The loop may have
// ended.
func (p *pool) claim(l loop, thread int, last bool) (turn int, ok bool) {
	turns := &p.threads[thread].turns
	for {
		x := turns.Load()
		left := x
		if age := int32(l.epoch() - uint32(x>>32)); age < 0 {
			return 0, false
		} else if age > 0 { // no turn is claimed yet
			left = l.share(thread)
		}
		next, end := left&0xffff, left>>16&0xffff
		if next >= end {
			return 0, false
		}
		turn = int(next)
		if last {
			turn = int(end - 1)
			left -= 1 << 16
		} else {
			left++
		}
		// The epoch is part of x: the claim fails if the loop has changed since.
		if turns.CompareAndSwap(x, left) {
			return turn, true
		}
	}
}

// Spinning is counted, not timed, as kernels do not read the clock. A spin is spinPauses PAUSE instructions,
// 0.05 to 0.2 µs.
const (
	spinPauses = 4
	idleSpins  = 1000  // then a worker parks
	wakeSpins  = 10000 // or then, if it has got few turns since it woke: the system may move it to another processor
	yieldSpins = 128   // then the Go scheduler may run another goroutine
	waitSpins  = 200   // of one PAUSE, then the caller lets another thread run
)

// Waking a worker pays if there is enough work, and if the worker gets a processor of its own. A worker that
// has got hardly any turns since it woke shares the caller's processor: it is woken later the next time.
const (
	wakeCost     = 50e3 // the work in nanoseconds that is worth waking workers
	wakeCostMost = 10e6
	wakeShare    = 4 // a worker should get at least an equal share divided by this number
)

func newPool(threads int) *pool {
	p := &pool{}
	p.limit.Store(int32(threads))
	p.enough.Store(wakeCost)
	p.failures.turn.Store(noTurn)
	return p
}

// run runs a loop together with the workers. It returns false without an effect if there are no workers.
func (p *pool) run(n, cost int, t task) bool {
	threads := int(p.limit.Load())
	if threads < 2 || !p.mu.TryLock() {
		return false
	}
	for p.started < threads-1 {
		p.started++
		p.threads[p.started].wake = make(chan struct{}, 1)
		go p.work(p.started)
	}
	const most = 1<<16 - 1
	var failed *Panic
	for base := 0; base < n && failed == nil; base += most {
		p.share(base, min(n-base, most), cost, threads, t)
		failed = p.failures.take()
	}
	p.mu.Unlock()
	if failed != nil {
		panic(failed)
	}
	return true
}

// share publishes n turns from base on for a number of threads, runs those that it can claim, and waits for
// the others.
func (p *pool) share(base, n, cost, threads int, t task) {
	p.task, p.base = t, base
	p.shared.Store(p.shared.Load() + uint64(n))
	l := p.next(n, threads)
	p.loop.Store(uint64(l))
	p.wakeUp(cost, threads) // not before: see park
	p.takeTurns(0, l)
	for spins := 1; p.done() != p.shared.Load(); spins++ {
		pause(1)
		if spins > waitSpins {
			yield()
		}
	}
}

// epochs is the number of loops after which the epochs of all shares are renewed: otherwise the epoch of a
// share that is always empty would become so old that it looks like a later one.
const epochs = 1 << 30

// next returns the loop of n turns after the present one.
func (p *pool) next(n, threads int) loop {
	epoch := loop(p.loop.Load()).epoch() + 1
	if epoch%epochs == 0 {
		for i := range p.threads {
			p.threads[i].turns.Store(uint64(epoch-1) << 32)
		}
	}
	return loop(uint64(epoch)<<32 | uint64(n)<<16 | uint64(threads))
}

// done returns the number of turns that have been run, of all loops.
func (p *pool) done() (turns uint64) {
	for i := range p.started + 1 {
		turns += p.threads[i].done.Load()
	}
	return turns
}

// takeTurns runs turns of a loop, first those of thread id's share, until none is left to claim. It returns
// their number.
func (p *pool) takeTurns(id int, l loop) int {
	t := taker{pool: p, id: id, loop: l}
	for !t.take() { // a turn has panicked
	}
	return t.turns
}

// taker is a thread that takes turns of a loop.
type taker struct {
	*pool
	id       int
	loop     loop
	share    int // the thread whose share it takes, relative to itself
	turn     int // present
	turns    int // the number that it has taken
	reported int // the number that it has reported
}

// take runs turns until none is left. It returns false if one has panicked.
func (t *taker) take() bool {
	defer t.caught()
	threads := t.loop.threads()
	for ; t.share < threads; t.share++ {
		of := (t.id + t.share) % threads
		for turn, ok := t.claim(t.loop, of, t.share > 0); ok; turn, ok = t.claim(t.loop, of, t.share > 0) {
			if f := onTurn.Load(); f != nil && t.id > 0 {
				(*f)()
			}
			t.turn = t.base + turn
			t.turns++
			if int64(t.turn) < t.failures.turn.Load() {
				t.task.run(t.turn)
			}
		}
		if t.turns > t.reported { // no other loop begins before that
			t.threads[t.id].done.Add(uint64(t.turns - t.reported))
			t.reported = t.turns
		}
	}
	return true
}

// caught records the panic of the present turn, if there is one.
func (t *taker) caught() {
	if r := recover(); r != nil {
		t.failures.add(t.turn, r)
	}
}

// onTurn is called by workers before each turn, unless it is nil.
var onTurn atomic.Pointer[func()]

// OnTurns sets a function that each helping thread calls before each turn. Profiles use it to attribute the
// thread's work to a caller.
func OnTurns(f func()) { onTurn.Store(&f) }

// work is the loop of worker id.
func (p *pool) work(id int) {
	awake := p.shared.Load()
	taken := 0 // turns since the worker woke
	var last loop
	for idle := 1; ; idle++ {
		if l := loop(p.loop.Load()); l != last {
			last = l
			if id < l.threads() {
				if n := p.takeTurns(id, l); n > 0 {
					taken += n
					idle = 0
					continue
				}
			}
		}
		pause(spinPauses)
		if idle%yieldSpins == 0 {
			runtime.Gosched()
		}
		threads := int(p.limit.Load())
		pays := taken > 0 && wakeShare*threads*taken >= int(p.shared.Load()-awake)
		switch {
		case id >= threads || pays && idle >= idleSpins:
			p.enough.Store(wakeCost)
		case idle >= wakeSpins:
			p.enough.Store(min(2*p.enough.Load(), wakeCostMost))
		default:
			continue
		}
		p.park(id, last)
		awake, taken, idle = p.shared.Load(), 0, 0
	}
}

// park makes worker id sleep until it is woken. If a loop has begun since the last one that the worker knows,
// it does not sleep: the caller may have looked for sleeping workers before.
func (p *pool) park(id int, last loop) {
	s := &p.threads[id].sleeper
	s.asleep.Store(true)
	if loop(p.loop.Load()) != last && s.asleep.CompareAndSwap(true, false) {
		return
	}
	<-s.wake
}

// wakeUp wakes the sleeping workers when there has been enough work since the last time.
func (p *pool) wakeUp(cost, threads int) {
	p.unseen += cost
	if int64(p.unseen) < p.enough.Load() {
		return
	}
	p.unseen = 0
	for i := 1; i < threads; i++ {
		p.threads[i].rouse()
	}
}

// sleeper is a worker that may be parked.
type sleeper struct {
	asleep atomic.Bool // it sleeps or is about to sleep, and was not woken
	wake   chan struct{}
	_      [48]byte
}

func (s *sleeper) rouse() {
	if s.asleep.Load() && s.asleep.CompareAndSwap(true, false) {
		s.wake <- struct{}{} // has room for one
	}
}
