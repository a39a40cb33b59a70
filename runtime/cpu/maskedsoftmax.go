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

// maskedSoftmax is the task of both. A turn is some consecutive runs of rows; the rows of a run are adjacent
// in the mask, too.
type maskedSoftmax[T Float] struct {
	dst, x, y     []T // the softmax if y is nil, otherwise its gradient
	mask          []bool
	scale, hidden T
	nest          nest3
	n             int // elements of a row
	runs, per     int // the number of runs, and of those in a turn
}

var maskedSoftmaxes freelist[maskedSoftmax[float32]]

func maskRows[T Float](m maskedSoftmax[T], shape, ms []int) {
	if len(m.dst) == 0 {
		return
	}
	m.nest.init(shape, ms, shape, shape)
	m.n = shape[len(shape)-1]
	m.runs = len(m.dst) / m.nest.n
	m.per = max(1, rowTurn/m.nest.n)
	turns := (m.runs + m.per - 1) / m.per
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

func (m *maskedSoftmax[T]) run(i int) {
	w := m.nest
	w.seek(i * m.per)
	for r := i * m.per; r < min((i+1)*m.per, m.runs); r++ {
		for j := 0; j < w.n; j += m.n {
			mask := m.mask[w.at[0]+j*w.along[0]:]
			if w.along[0] == 0 {
				mask = mask[:1]
			}
			m.row(r*w.n+j, mask)
		}
		w.next()
	}
}

// row computes the row that begins at an element. A mask of one element stands for all.
func (m *maskedSoftmax[T]) row(at int, mask []bool) {
	dst, x := m.dst[at:at+m.n], m.x[at:at+m.n]
	if m.y == nil {
		mulRow(dst, x, []T{m.scale})
		hide(dst, mask, m.hidden)
		if d, ok := any(dst).([]float32); ok {
			VecSoftmax32(d, d)
		} else {
			Softmax(dst, dst, 1, m.n, 1)
		}
		return
	}
	y := m.y[at : at+m.n]
	if d, ok := any(dst).([]float32); ok {
		softmaxRowGrad(d, any(x).([]float32), any(y).([]float32))
	} else {
		SoftmaxGrad(dst, x, y, 1, m.n, 1)
	}
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
