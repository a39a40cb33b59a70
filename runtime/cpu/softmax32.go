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
