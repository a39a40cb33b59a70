package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

const maxRank = tensor.MaxRank

// Broadcast applies f to a and b, which have the shapes as and bs, over the
// shape that both broadcast to:
//
//	for i := range shape {
//		dst[i] = f(a[i·as], b[i·bs])
//	}
//
// f is called with runs of elements: both operands as long as dst, or one of
// them a single element.
func Broadcast[D, T any](dst []D, a, b []T, f func(dst []D, a, b []T), shape, as, bs []int) {
	if len(dst) == 0 {
		return
	}
	var it nest2
	it.init(shape, as, bs)
	if d, ok := any(dst).([]float32); ok && len(dst) >= vecTurn {
		if x, ok := any(a).([]float32); ok && it.broadcast32(d, x, any(b).([]float32), any(f).(func(dst, a, b []float32))) {
			return
		}
	}
	n := it.size[it.rank-1]
	an, bn := it.a[it.rank-1]*(n-1)+1, it.b[it.rank-1]*(n-1)+1
	for o := 0; o < len(dst); o += n {
		f(dst[o:o+n], a[it.ai:it.ai+an], b[it.bi:it.bi+bn])
		it.next()
	}
}

// nest2 is a loop nest over a shape with two broadcast operands, whose axes
// are merged where both operands allow it.
type nest2 struct {
	rank       int
	size, a, b [maxRank]int // extent and operand strides of an axis
	index      [maxRank]int
	ai, bi     int // offsets of the current row
}

func (it *nest2) init(shape, as, bs []int) {
	var sa, sb [maxRank]int
	broadcastStrides(sa[:], shape, as)
	broadcastStrides(sb[:], shape, bs)
	for i, n := range shape {
		if n == 1 {
			continue
		}
		if k := it.rank - 1; k >= 0 && it.a[k] == sa[i]*n && it.b[k] == sb[i]*n {
			it.size[k], it.a[k], it.b[k] = it.size[k]*n, sa[i], sb[i]
			continue
		}
		it.size[it.rank], it.a[it.rank], it.b[it.rank] = n, sa[i], sb[i]
		it.rank++
	}
	// A row must step through its operands by 0 or 1, or be one element long.
	if it.rank == 0 || it.a[it.rank-1] > 1 || it.b[it.rank-1] > 1 {
		it.size[it.rank] = 1
		it.rank++
	}
}

// seek goes to the given row.
func (it *nest2) seek(row int) {
	for k := it.rank - 2; k >= 0; k-- {
		it.index[k] = row % it.size[k]
		row /= it.size[k]
		it.ai += it.a[k] * it.index[k]
		it.bi += it.b[k] * it.index[k]
	}
}

// next steps to the next row.
func (it *nest2) next() {
	for k := it.rank - 2; k >= 0; k-- {
		it.index[k]++
		it.ai += it.a[k]
		it.bi += it.b[k]
		if it.index[k] < it.size[k] {
			return
		}
		it.ai -= it.a[k] * it.size[k]
		it.bi -= it.b[k] * it.size[k]
		it.index[k] = 0
	}
}

// broadcastStrides computes the step of an operand of shape s along each axis of shape: 0 if the operand has
// one element.
func broadcastStrides(strides, shape, s []int) {
	step := 1
	for i := len(s) - 1; i >= 0; i-- {
		o := len(shape) - len(s) + i
		switch {
		case s[i] == shape[o]:
			strides[o] = step
			if s[i] == 1 {
				strides[o] = 0
			}
		case s[i] != 1:
			fail("Broadcast", "shape %v does not broadcast to %v", listed(s), listed(shape))
		}
		step *= s[i]
	}
}
