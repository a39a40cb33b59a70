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
	if d, ok := any(dst).([]float32); ok && len(dst) >= 2*vecTurn {
		if x, ok := any(a).([]float32); ok && it.shared(d, x, any(b).([]float32), any(f).(func(dst, a, b []float32))) {
			return
		}
	}
	broadcastRows(&it, dst, a, b, f)
}

// broadcastRows applies f to as many rows as dst has, from where it stands.
func broadcastRows[D, T any](it *nest2, dst []D, a, b []T, f func(dst []D, a, b []T)) {
	n := it.size[it.rank-1]
	an, bn := it.a[it.rank-1]*(n-1)+1, it.b[it.rank-1]*(n-1)+1
	for o := 0; o < len(dst); o += n {
		f(dst[o:o+n], a[it.ai:it.ai+an], b[it.bi:it.bi+bn])
		it.next()
	}
}

// sharedBroadcast is a Broadcast of float32 on threads; a turn takes some rows.
type sharedBroadcast struct {
	it        nest2
	dst, a, b []float32
	f         func(dst, a, b []float32)
	per       int // rows of a turn
}

var sharedBroadcasts freelist[sharedBroadcast]

// shared runs the nest on threads, unless it is one row: f shares that itself.
func (it *nest2) shared(dst, a, b []float32, f func(dst, a, b []float32)) bool {
	n := it.size[it.rank-1]
	rows := len(dst) / n
	if rows == 1 {
		return false
	}
	t := sharedBroadcasts.get()
	*t = sharedBroadcast{*it, dst, a, b, f, max(1, vecTurn/n)}
	parallel((rows+t.per-1)/t.per, len(dst)*cheap/16+10*rows, t)
	*t = sharedBroadcast{}
	sharedBroadcasts.put(t)
	return true
}

func (t *sharedBroadcast) run(i int) {
	it := t.it
	n := it.size[it.rank-1]
	lo := i * t.per * n
	it.seek(i * t.per)
	broadcastRows(&it, t.dst[lo:min(lo+t.per*n, len(t.dst))], t.a, t.b, t.f)
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

// seek goes from the first row to the given one.
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

// broadcastStrides gives the step of an operand of shape s along each axis of
// shape: 0 where the operand has one element.
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
