package cpu

// softmaxTask is the task of the softmax of rows of n elements. A turn is a run of rows.
type softmaxTask struct {
	dst, x []float32
	n, per int // elements of a row and of a turn
}

var softmaxTasks freelist[softmaxTask]

// softmax32 is the softmax of rows of n elements.
func softmax32(dst, x []float32, n int) {
	per := max(1, rowTurn/n) * n
	if len(dst) <= per {
		softmaxRows(dst, x, n, lowest[float32]())
		return
	}
	t := softmaxTasks.get()
	*t = softmaxTask{dst: dst, x: x, n: n, per: per}
	parallel((len(dst)+per-1)/per, len(dst), t)
	*t = softmaxTask{}
	softmaxTasks.put(t)
}

func (t *softmaxTask) run(i int) {
	lo, hi := i*t.per, min((i+1)*t.per, len(t.dst))
	softmaxRows(t.dst[lo:hi], t.x[lo:hi], t.n, lowest[float32]())
}

// softmaxRowsGo is the softmax of each row of n ≥ 1 elements, like [VecSoftmax32]. It subtracts at least
// floor: so a row of only -Inf gives zeros if floor is not -Inf.
func softmaxRowsGo(dst, x []float32, n int, floor float32) {
	for ; len(dst) > 0; dst, x = dst[n:], x[n:] {
		vecExpSubS(dst[:n], x[:n], max(floor, vecReduceMax(x[:n])))
		vecMulS(dst[:n], dst[:n], 1/max(0.5, vecSum(dst[:n])))
	}
}

// stairs is rows of scores that become their softmax.
type stairs struct {
	x, mask        []float32 // mask is added to the rows before; it may be nil
	rows, n        int       // rows, at most maxStairs, and their elements
	step, maskStep int       // from one row to the next; that of x is a multiple of 16
	seen, more     int       // the elements of the first row that count, and how many more those of the next row are
	floor          float32   // see softmaxRowsGo
	tops           [maxStairs]float32
}

const maxStairs = 32

// computeGo is the softmax of the first seen+i*more elements of each row i, at most n. Elements behind them become zeros. Those
// behind n up to a multiple of 16 get arbitrary values.
func (s *stairs) computeGo() {
	for i := range s.rows {
		x, n := s.x[i*s.step:][:s.n], max(0, min(s.n, s.seen+i*s.more))
		if n > 0 && s.mask != nil {
			VecAdd32(x[:n], x[:n], s.mask[i*s.maskStep:][:n])
		}
		if n > 0 {
			softmaxRowsGo(x[:n], x[:n], n, s.floor)
		}
		clear(x[n:])
	}
}
