package cpu

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A task is a loop whose turns may run in any order and at the same time. Kernels keep their tasks in a [freelist], so
// that a parallel loop allocates nothing.
type task interface{ run(i int) }

// serialCost is the work in nanoseconds below which a loop is not worth sharing: a worker takes a microsecond to see it, and
// fetches from the caller's cache what it works on.
const serialCost = 6000

// parallel runs t.run(0) … t.run(n-1) and returns when all have returned. The cost is the whole loop's in nanoseconds,
// roughly. Turns must write to places of their own. A thread takes turns that follow each other, as a rule those of the same
// share of each loop, but which is left to chance.
func parallel(n, cost int, t task) {
	if n > 1 && cost > serialCost && workers.run(n, cost, t) {
		return
	}
	for i := range n {
		t.run(i)
	}
}

// SetThreads lets kernels use n threads, the caller's included; n < 1 stands for the default, GOMAXPROCS as it was when
// the program began. Results are the same to the bit for any n.
func SetThreads(n int) {
	if n < 1 {
		n = defaultThreads
	}
	workers.limit.Store(int32(min(n, maxThreads)))
}

// Threads returns how many threads kernels may use.
func Threads() int { return int(workers.limit.Load()) }

const maxThreads = 256

var (
	defaultThreads = min(runtime.GOMAXPROCS(0), maxThreads)
	workers        = newPool(defaultThreads)
)

// pool is a set of workers that look for turns of the loop at hand, spin when there are none, and park after a while.
// Nobody waits for a worker to come: the caller takes turns as well, all of them if need be, and then waits for those
// turns that a worker has claimed. One loop is shared at a time; a second caller runs its own alone.
type pool struct {
	mu      sync.Mutex // held by the caller whose loop is shared
	task    task       // Invariant: read only by whoever has claimed a turn
	base    int        // number of the first turn
	epoch   uint64     // how many loops there have been
	started int        // workers that exist
	unseen  int        // work in nanoseconds since workers were woken

	limit  atomic.Int32  // threads, the caller's included
	shared atomic.Uint64 // turns of all loops there have been
	enough atomic.Int64  // how much work is worth waking workers for

	_        [64]byte
	portions [maxThreads]portion
	done     atomic.Int32 // turns that workers have finished
	_        [60]byte
	sleepers [maxThreads]sleeper // by worker
}

// portion is the share of a loop's turns that one thread begins with. It takes them in order, and so finds in its own cache
// what it wrote there in its share of the loop before. Who has finished his takes the last turns of others.
type portion struct {
	turns atomic.Uint64 // epoch<<32 | end<<16 | next, of turns that nobody has claimed
}

// claim claims the first turn that is left, or the last.
func (p *portion) claim(last bool) (turn int, ok bool) {
	for {
		x := p.turns.Load()
		next, end := x&0xffff, x>>16&0xffff
		if next >= end {
			return 0, false
		}
		turn, left := next, x+1
		if last {
			turn, left = end-1, x-1<<16
		}
		// The epoch is part of x: the claim fails if the loop has changed since.
		if p.turns.CompareAndSwap(x, left) {
			return int(turn), true
		}
	}
}

// Spinning is counted, not timed: kernels read no clock. A spin is spinPauses PAUSE instructions, 0.1 to 0.4 µs.
const (
	spinPauses = 8
	idleSpins  = 500  // then a worker parks
	wakeSpins  = 5000 // or then, if it has got little since it woke: time to be given another processor
	yieldSpins = 64   // then the Go scheduler may run another goroutine
)

// Waking a worker pays when enough work goes by, and when it finds a processor of its own: one that has got next to nothing
// of what was shared since, as it was given the caller's processor, is woken later the next time.
const (
	wakeCost     = 50e3 // work in nanoseconds that is worth waking workers for
	wakeCostMost = 10e6
	wakeShare    = 4 // a worker should get so-manieth of an equal share
)

func newPool(threads int) *pool {
	p := &pool{}
	p.limit.Store(int32(threads))
	p.enough.Store(wakeCost)
	return p
}

// run shares a loop with the workers. It reports false, having done nothing, if there is nobody to share with.
func (p *pool) run(n, cost int, t task) bool {
	threads := int(p.limit.Load())
	if threads < 2 || !p.mu.TryLock() {
		return false
	}
	for p.started < threads-1 {
		p.started++
		p.sleepers[p.started].wake = make(chan struct{}, 1)
		go p.work(p.started)
	}
	p.wakeUp(cost, threads)
	const most = 1<<16 - 1
	for p.base = 0; p.base < n; p.base += most {
		p.share(min(n-p.base, most), threads, t)
	}
	p.mu.Unlock() // NB: not deferred: after a panic in a kernel all loops run unshared
	return true
}

// share publishes n turns for so many threads, takes what it can and waits for the rest.
func (p *pool) share(n, threads int, t task) {
	p.task = t
	p.done.Store(0)
	p.epoch++
	p.shared.Store(p.shared.Load() + uint64(n))
	for i := range threads {
		p.portions[i].turns.Store(p.epoch<<32 | uint64((i+1)*n/threads<<16|i*n/threads))
	}
	left := int32(n - p.takeTurns(0, threads))
	for spins := 1; p.done.Load() != left; spins++ {
		pause(1)
		if spins > 200 {
			yield()
		}
	}
	p.task = nil
}

// takeTurns runs turns, those of thread id first, until none is left to claim, and returns how many.
func (p *pool) takeTurns(id, threads int) (turns int) {
	for i := range threads {
		from := &p.portions[(id+i)%threads]
		for turn, ok := from.claim(i > 0); ok; turn, ok = from.claim(i > 0) {
			if f := onTurn.Load(); f != nil && id > 0 {
				(*f)()
			}
			p.task.run(p.base + turn)
			turns++
		}
	}
	return turns
}

// onTurn is called by workers before each turn, nil if nobody wants that.
var onTurn atomic.Pointer[func()]

// OnTurns has f called by each thread that helps a caller with a loop, before each turn that it takes. Profiles use it to
// know whom the thread works for.
func OnTurns(f func()) { onTurn.Store(&f) }

// work is the life of worker id.
func (p *pool) work(id int) {
	awake := p.shared.Load()
	taken := 0 // turns since it woke
	for idle := 1; ; idle++ {
		threads := int(p.limit.Load())
		if id < threads {
			if n := p.takeTurns(id, threads); n > 0 {
				p.done.Add(int32(n)) // no other loop begins before that
				taken += n
				idle = 0
				continue
			}
		}
		pause(spinPauses)
		if idle%yieldSpins == 0 {
			runtime.Gosched()
		}
		pays := taken > 0 && wakeShare*threads*taken >= int(p.shared.Load()-awake)
		switch {
		case id >= threads || pays && idle >= idleSpins:
			p.enough.Store(wakeCost)
		case idle >= wakeSpins:
			p.enough.Store(min(2*p.enough.Load(), wakeCostMost))
		default:
			continue
		}
		p.sleepers[id].sleep()
		awake, taken, idle = p.shared.Load(), 0, 0
	}
}

// wakeUp wakes the workers that sleep, once enough work has gone by to pay for it.
func (p *pool) wakeUp(cost, threads int) {
	p.unseen += cost
	if int64(p.unseen) < p.enough.Load() {
		return
	}
	p.unseen = 0
	for i := 1; i < threads; i++ {
		p.sleepers[i].rouse()
	}
}

// sleeper is a worker that may be parked.
type sleeper struct {
	asleep atomic.Bool // or about to be, and nobody has woken it
	wake   chan struct{}
	_      [48]byte
}

func (s *sleeper) sleep() {
	s.asleep.Store(true)
	<-s.wake
}

func (s *sleeper) rouse() {
	if s.asleep.Load() && s.asleep.CompareAndSwap(true, false) {
		s.wake <- struct{}{} // has room for one
	}
}

// freelist keeps values between calls, so that kernels allocate only until as many exist as run at the same time.
type freelist[T any] struct {
	spinLock
	free []*T
}

func (l *freelist[T]) get() *T {
	l.lock()
	defer l.unlock()
	if n := len(l.free); n > 0 {
		x := l.free[n-1]
		l.free = l.free[:n-1]
		return x
	}
	return new(T)
}

func (l *freelist[T]) put(x *T) {
	l.lock()
	defer l.unlock()
	l.free = append(l.free, x)
}

// spinLock guards a few instructions. Turns of a loop come to one at the same time so often that nobody may be sent to
// sleep for that, as a sync.Mutex does.
type spinLock struct{ held atomic.Bool }

func (l *spinLock) lock() {
	for spins := 1; !l.held.CompareAndSwap(false, true); spins++ {
		pause(1)
		if spins%yieldSpins == 0 { // its holder may have been stopped
			runtime.Gosched()
		}
	}
}

func (l *spinLock) unlock() { l.held.Store(false) }
