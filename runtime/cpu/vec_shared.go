package cpu

// sharedVec is an elementwise function of float32 vectors on threads. One of the functions is set.
type sharedVec struct {
	one  func(dst, x []float32)
	two  func(dst, a, b []float32)
	with func(dst, a []float32, s float32)

	dst, a, b []float32
	s         float32
}

var sharedVecs freelist[sharedVec]

// vecTurn is how many elements a turn has: its three vectors stay in L2.
const vecTurn = 1 << 13

// What an element costs, in sixteenths of a nanosecond.
const (
	cheap = 2 // what memory is slower than
	dear  = 12
)

// shared1 is f(dst, x) on threads.
func shared1(f func(dst, x []float32), dst, x []float32, cost int) {
	if len(dst) < 2*vecTurn {
		f(dst, x[:len(dst)])
		return
	}
	t := sharedVecs.get()
	t.one, t.dst, t.a = f, dst, x[:len(dst)]
	t.do(cost)
}

// shared2 is f(dst, a, b) on threads.
func shared2(f func(dst, a, b []float32), dst, a, b []float32, cost int) {
	if len(dst) < 2*vecTurn {
		f(dst, a[:len(dst)], b[:len(dst)])
		return
	}
	t := sharedVecs.get()
	t.two, t.dst, t.a, t.b = f, dst, a[:len(dst)], b[:len(dst)]
	t.do(cost)
}

// sharedS is f(dst, a, s) on threads.
func sharedS(f func(dst, a []float32, s float32), dst, a []float32, s float32, cost int) {
	if len(dst) < 2*vecTurn {
		f(dst, a[:len(dst)], s)
		return
	}
	t := sharedVecs.get()
	t.with, t.dst, t.a, t.s = f, dst, a[:len(dst)], s
	t.do(cost)
}

func (t *sharedVec) do(cost int) {
	n := len(t.dst)
	parallel((n+vecTurn-1)/vecTurn, n*cost/16, t)
	*t = sharedVec{}
	sharedVecs.put(t)
}

func (t *sharedVec) run(i int) {
	lo := i * vecTurn
	hi := min(lo+vecTurn, len(t.dst))
	switch {
	case t.one != nil:
		t.one(t.dst[lo:hi], t.a[lo:hi])
	case t.two != nil:
		t.two(t.dst[lo:hi], t.a[lo:hi], t.b[lo:hi])
	default:
		t.with(t.dst[lo:hi], t.a[lo:hi], t.s)
	}
}
