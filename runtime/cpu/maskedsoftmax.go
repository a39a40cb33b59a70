package cpu

// MaskedSoftmax is the softmax of each row of x, along the last axis of the given shape, with a mask of shape
// ms that is broadcast:
//
//	for j := range row {
//		if mask[j] {
//			row[j] = scale * x[j]
//		} else {
//			row[j] = hidden
//		}
//	}
//	dst = softmax(row)
func MaskedSoftmax[T Float](dst, x []T, mask []bool, scale, hidden float64, shape, ms []int) {
	maskRows(maskedSoftmax[T]{dst: dst, x: x, mask: mask, scale: T(scale), hidden: T(hidden)}, shape, ms)
}

// MaskedSoftmaxGrad is the gradient of [MaskedSoftmax] by x, whose result was y:
//
//	dst = scale * y·(dy - Σ dy·y)   // 0 where the mask is false
func MaskedSoftmaxGrad[T Float](dst, dy, y []T, mask []bool, scale float64, shape, ms []int) {
	maskRows(maskedSoftmax[T]{dst: dst, x: dy, y: y, mask: mask, scale: T(scale)}, shape, ms)
}

// maskedSoftmax is the task of both. The rows of a run are adjacent in the mask, too; the mask of all rows makes a single run
// of them. A turn is some consecutive short runs, or a part of a long one.
type maskedSoftmax[T Float] struct {
	dst, x, y     []T // the softmax if y is nil, otherwise its gradient
	mask          []bool
	scale, hidden T
	nest          nest3
	n             int // elements of a row
	runs, per     int // the number of runs, and of those in a turn
	part          int // elements of the rows that are computed together: they stay in L1
	parts         int // the number of those in a run
}

var maskedSoftmaxes freelist[maskedSoftmax[float32]]

func maskRows[T Float](m maskedSoftmax[T], shape, ms []int) {
	if len(m.dst) == 0 {
		return
	}
	turns := m.share(shape, ms)
	if m, ok := any(&m).(*maskedSoftmax[float32]); ok {
		t := maskedSoftmaxes.get()
		*t = *m
		parallel(turns, len(m.dst), t)
		*t = maskedSoftmax[float32]{}
		maskedSoftmaxes.put(t)
		return
	}
	for i := range turns {
		m.run(i)
	}
}

// share divides the rows among turns, and returns the number of turns.
func (m *maskedSoftmax[T]) share(shape, ms []int) (turns int) {
	m.nest.init(shape, ms, shape, shape)
	m.n = shape[len(shape)-1]
	m.runs = len(m.dst) / m.nest.n
	m.per = max(1, rowTurn/m.nest.n)
	m.part = max(1, rowTurn/m.n) * m.n
	m.parts = (m.nest.n + m.part - 1) / m.part
	return (m.runs + m.per - 1) / m.per * m.parts
}

func (m *maskedSoftmax[T]) run(i int) {
	w := m.nest
	first, j := i/m.parts*m.per, i%m.parts*m.part
	k := min(j+m.part, w.n)
	w.seek(first)
	for r := first; r < min(first+m.per, m.runs); r++ {
		m.rows(r*w.n+j, r*w.n+k, maskOf(m.mask, w.at[0], j, k, w.along[0]))
		w.next()
	}
}

// maskOf returns the mask of elements j to k of a run whose mask begins at an element. One element stands for all if the mask
// does not advance.
func maskOf(mask []bool, at, j, k, along int) []bool {
	if along == 0 {
		return mask[at : at+1]
	}
	return mask[at+j : at+k]
}

// rows computes the rows between two elements.
func (m *maskedSoftmax[T]) rows(lo, hi int, mask []bool) {
	dst, x := m.dst[lo:hi], m.x[lo:hi]
	if m.y == nil {
		mulRow(dst, x, []T{m.scale})
		hide(dst, mask, m.hidden)
		Softmax(dst, dst, len(dst)/m.n, m.n, 1)
		return
	}
	SoftmaxGrad(dst, x, m.y[lo:hi], len(dst)/m.n, m.n, 1)
	mulRow(dst, dst, []T{m.scale})
	hide(dst, mask, 0)
}

// hide writes v where the mask is false.
func hide[T Float](dst []T, mask []bool, v T) {
	if len(mask) == 1 {
		if !mask[0] {
			fill(dst, v)
		}
		return
	}
	if d, ok := any(dst).([]float32); ok {
		vecWhereS(d, mask[:len(d)], d, float32(v))
		return
	}
	for i, ok := range mask[:len(dst)] {
		if !ok {
			dst[i] = v
		}
	}
}
