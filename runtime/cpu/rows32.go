package cpu

// rowTask is the task of a kernel that works on rows of n floats, each on its own; a turn takes a run of rows.
type rowTask struct {
	row func(t *rowTask, i int) // works on row i

	dst, x, y, scale, bias, mean, invStd []float32

	n    int
	eps  float64
	rows int
	per  int // rows of a turn
}

var rowTasks freelist[rowTask]

// rowTurn is how many elements a turn should have.
const rowTurn = 1 << 12

// do runs t, whose elements cost about one nanosecond for each speed of them, and gives it back.
func (t *rowTask) do(speed int) {
	t.rows = len(t.dst) / t.n
	t.per = max(1, rowTurn/t.n)
	parallel((t.rows+t.per-1)/t.per, len(t.dst)/speed, t)
	*t = rowTask{}
	rowTasks.put(t)
}

func (t *rowTask) run(i int) {
	for r := i * t.per; r < min((i+1)*t.per, t.rows); r++ {
		t.row(t, r)
	}
}

func softmaxGradRow(t *rowTask, i int) {
	softmaxRowGrad(row(t.dst, i, t.n), row(t.x, i, t.n), row(t.y, i, t.n))
}

// softmaxRowGrad is the gradient of one row of softmax, whose result was y.
func softmaxRowGrad(dst, dy, y []float32) {
	vecSubSMul(dst, dy, y, VecDot32(dy, y))
	VecAxpy32(dst, y, -VecSum32(dst)) // what rounding has left of a sum that is 0
}

func layerNormRow(t *rowTask, i int) {
	d, x := row(t.dst, i, t.n), row(t.x, i, t.n)
	if t.mean == nil && t.invStd == nil && t.scale != nil && t.bias != nil {
		vecLayerNorm(d, x, t.scale[:t.n], t.bias[:t.n], float32(t.eps))
		return
	}
	mean, f := normRow(d, x, t.scale, t.bias, float32(t.eps))
	if t.mean != nil {
		t.mean[i] = mean
	}
	if t.invStd != nil {
		t.invStd[i] = f
	}
}

// normRow is layer normalisation of a row of one element at least; a nil scale stands for ones, a nil bias for zeros.
func normRow(d, x, scale, bias []float32, eps float32) (mean, f float32) {
	n := float32(len(d))
	mean = VecSum32(x) / n
	VecSubS32(d, x, mean)
	f = invSqrt(VecDot32(d, d)/n + eps)
	if scale == nil {
		VecMulS32(d, d, f)
	} else {
		vecMulMulS(d, scale[:len(d)], f)
	}
	if bias != nil {
		VecAdd32(d, d, bias)
	}
	return mean, f
}

func vecLayerNormGo(dst, x, scale, bias []float32, eps float32) { normRow(dst, x, scale, bias, eps) }

func rmsNormRow(t *rowTask, i int) {
	x := row(t.x, i, t.n)
	rmsRow(row(t.dst, i, t.n), x, t.scale, invSqrt(VecDot32(x, x)/float32(t.n)+float32(t.eps)))
}
