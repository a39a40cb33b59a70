package cpu

// vecTask is the task of an elementwise kernel on long vectors. A turn applies one of the functions to a run
// of elements.
type vecTask struct {
	unary     func(dst, a []float32)
	binary    func(dst, a, b []float32)
	dst, a, b []float32
}

var vecTasks freelist[vecTask]

const (
	vecTurn = 1 << 13     // elements of a turn
	vecLong = 2 * vecTurn // elements from which on there is more than one turn
)

// vec1 is f(dst, x), on several threads if that is faster.
func vec1(f func(dst, x []float32), dst, x []float32) {
	if len(dst) < vecLong {
		f(dst, x)
		return
	}
	t := vecTasks.get()
	*t = vecTask{unary: f, dst: dst, a: x[:len(dst)]}
	t.do()
}

// vec2 is f(dst, a, b), on several threads if that is faster. An operand of one element stands for all.
//
// NB: operands escape to the heap, since a task holds them. Kernels with operands on their stack call f.
func vec2(f func(dst, a, b []float32), dst, a, b []float32) {
	if len(dst) < vecLong {
		f(dst, a, b)
		return
	}
	t := vecTasks.get()
	*t = vecTask{binary: f, dst: dst, a: a, b: b}
	t.do()
}

func (t *vecTask) do() {
	parallel((len(t.dst)+vecTurn-1)/vecTurn, len(t.dst)/2, t)
	*t = vecTask{}
	vecTasks.put(t)
}

func (t *vecTask) run(i int) {
	lo, hi := i*vecTurn, min((i+1)*vecTurn, len(t.dst))
	cut := func(x []float32) []float32 {
		if len(x) == 1 {
			return x
		}
		return x[lo:hi]
	}
	if t.unary != nil {
		t.unary(t.dst[lo:hi], t.a[lo:hi])
	} else {
		t.binary(t.dst[lo:hi], cut(t.a), cut(t.b))
	}
}
