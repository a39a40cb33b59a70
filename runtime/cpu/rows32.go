package cpu

// rowTask is the task of a kernel that processes rows of n floats independently. A turn is a run of rows.
type rowTask struct {
	row  func(t *rowTask, i int)            // processes row i
	some func(t *rowTask, i, rows int) bool // processes rows of whole groups from row i on; nil or false: each is processed by itself

	dst, x, y, scale, bias, mean, invStd []float32

	n    int
	eps  float64
	rows int
	per  int // rows of a turn
}

var rowTasks freelist[rowTask]

// rowTurn is the number of elements of a turn: the operands and the result, of 16 KiB each, stay in L2.
const rowTurn = 1 << 12

// do runs t and gives it back. It processes about speed elements in a nanosecond.
func (t *rowTask) do(speed int) {
	t.rows = len(t.dst) / t.n
	t.per = rowsOfTurn(t.n)
	parallel((t.rows+t.per-1)/t.per, len(t.dst)/speed, t)
	*t = rowTask{}
	rowTasks.put(t)
}

// rowsOfTurn is the number of rows of n elements in a turn: of whole groups, if there are some.
func rowsOfTurn(n int) int {
	rows := max(1, rowTurn/n)
	if rows > groupRows {
		rows -= rows % groupRows
	}
	return rows
}

func (t *rowTask) run(i int) {
	r, end := i*t.per, min((i+1)*t.per, t.rows)
	if t.some != nil {
		if rows := grouped(end-r, t.n); rows > 0 && t.some(t, r, rows) {
			r += rows
		}
	}
	for ; r < end; r++ {
		t.row(t, r)
	}
}

func softmaxGradRow(t *rowTask, i int) {
	softmaxRowGrad(row(t.dst, i, t.n), row(t.x, i, t.n), row(t.y, i, t.n))
}

// softmaxRowGrad is the gradient of one row of softmax, whose result was y.
func softmaxRowGrad(dst, dy, y []float32) {
	vecSubSMul(dst, dy, y, VecDot32(dy, y))
	VecAxpy32(dst, y, -VecSum32(dst)) // the rest that rounding leaves of a sum that is 0
}

// layerNormSome is layerNormRow for whole groups, with the same bits.
func layerNormSome(t *rowTask, i, rows int) bool {
	if t.mean != nil || t.invStd != nil || t.scale == nil || t.bias == nil {
		return false
	}
	return layerNormRowsAtLevel(t.dst[i*t.n:], t.x[i*t.n:], t.scale, t.bias, t.n, rows, float32(t.eps))
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

// normRow is layer normalization of a row of at least one element; a nil scale is ones, a nil bias zeros.
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

// outerTask is the task of a kernel that processes the matrices of a tensor [outer, n, inner] independently. A turn is some of them.
type outerTask struct {
	f             func(dst, x []float32, n, inner int) // processes one
	dst, x        []float32
	n, inner      int
	outer, result int // the number of matrices, and of the elements of a result
	per           int // matrices of a turn
}

var outerTasks freelist[outerTask]

// eachOuter calls f for each of the matrices of x, which are n×inner, and for its part of dst. It processes about one element in a
// nanosecond.
func eachOuter(dst, x []float32, outer, n, inner int, f func(dst, x []float32, n, inner int)) {
	size := n * inner
	if outer == 0 || size == 0 {
		return
	}
	t := outerTasks.get()
	*t = outerTask{f: f, dst: dst, x: x, n: n, inner: inner, outer: outer, result: len(dst) / outer, per: max(1, rowTurn/size)}
	parallel((outer+t.per-1)/t.per, outer*size, t)
	*t = outerTask{}
	outerTasks.put(t)
}

func (t *outerTask) run(i int) {
	for o := i * t.per; o < min((i+1)*t.per, t.outer); o++ {
		t.f(row(t.dst, o, t.result), row(t.x, o, t.n*t.inner), t.n, t.inner)
	}
}
