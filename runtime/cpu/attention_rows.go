package cpu

import "math"

// few is below how many rows a product is done row by row, because packing
// its other operand does not pay.
const few = 4

// space is room for scores and results of a turn, and what must be put back.
func (a *attention[T]) space(scores, results int) (s, out []T, lent []float32) {
	buf := a.buf
	if _, ok := any(buf).([]float32); ok {
		lent = scratch.get(scores + results)
		buf = any(lent).([]T)
	}
	return buf[:scores], buf[scores : scores+results], lent
}

// give writes the scores of some queries to qk if they are wanted at this stage.
func (a *attention[T]) give(stage Scores, s []T, at int) {
	if a.qk != nil && a.Give == stage {
		copy(a.qk[at*a.Keys:], s)
	}
}

// reach is how many keys n queries see at most.
func (a *attention[T]) reach(b, first, n int) int {
	reach := 0
	for i := range n {
		_, hi := a.window(b, first+i)
		reach = max(reach, hi)
	}
	return reach
}

// window is the range of keys that query i of sample b may see, masks apart.
func (a *attention[T]) window(b, i int) (lo, hi int) {
	at := a.Past + i
	hi = a.Keys
	if a.valid != nil {
		at = int(a.valid[b]) - a.Queries + i
		hi = int(a.valid[b])
	}
	if a.mask != nil || a.allow != nil {
		hi = min(hi, a.MaskKeys)
	}
	if a.Causal {
		hi = min(hi, at+1)
	}
	if a.Right >= 0 {
		hi = min(hi, at+a.Right+1)
	}
	if a.Left >= 0 {
		lo = max(0, at-a.Left)
	}
	hi = max(0, hi)
	return min(lo, hi), hi
}

// softmax turns the scores of query i of head h of sample b into probabilities.
func (a *attention[T]) softmax(s []T, b, h, i int) {
	lo, hi := a.window(b, i)
	lo = min(lo, len(s))
	hi = min(hi, len(s))
	seen := a.applyMask(s[lo:hi], lo, b, h, i)
	if a.qk != nil && a.Give == ScoresMasked {
		none := T(math.Inf(-1))
		fill(s[:lo], none)
		fill(s[hi:], none)
		copy(row(a.qk, (b*a.Heads+h)*a.Queries+i, a.Keys), s)
	}
	clear(s[:lo])
	clear(s[hi:])
	s = s[lo:hi]
	if !seen || len(s) == 0 || a.mask != nil && math.IsInf(float64(largest(s)), -1) {
		clear(s)
		return
	}
	Softmax(s, s, 1, len(s), 1)
}

// applyMask masks the scores of the keys from lo on and reports whether any key
// is left.
func (a *attention[T]) applyMask(s []T, lo, b, h, i int) (seen bool) {
	if a.mask == nil && a.allow == nil {
		return true
	}
	if a.MaskBatch == 1 {
		b = 0
	}
	if a.MaskHeads == 1 {
		h = 0
	}
	if a.MaskQueries == 1 {
		i = 0
	}
	at := ((b*a.MaskHeads+h)*a.MaskQueries+i)*a.MaskKeys + lo
	none := T(math.Inf(-1))
	if a.allow != nil {
		for j, ok := range a.allow[at : at+len(s)] {
			if ok {
				seen = true
			} else {
				s[j] = none
			}
		}
		return seen
	}
	mask := a.mask[at : at+len(s)]
	if s, ok := any(s).([]float32); ok {
		VecAdd32(s, s, as32(mask))
		return true
	}
	for j, m := range mask {
		if m == none {
			s[j] = none
			continue
		}
		seen = true
		s[j] += m
	}
	return seen
}

// scores is dst = scale·q·kᵀ for q of m×d and k of n×d elements.
func scores[T Float](dst, q, k []T, m, d, n int, scale T) {
	if dst, ok := any(dst).([]float32); ok && m >= few {
		Gemm32(dst, as32(q), as32(k), m, d, n, false, true, float32(scale), 0)
		return
	}
	for i := range m {
		x, to := row(q, i, d), row(dst, i, n)
		for j := range to {
			to[j] = scale * dot(x, row(k, j, d))
		}
	}
}

// dot is Σ x[i]·y[i].
func dot[T Float](x, y []T) T {
	if x, ok := any(x).([]float32); ok {
		return T(VecDot32(x, as32(y)))
	}
	var s T
	for i, v := range x {
		s += T(v * y[i])
	}
	return s
}

// mix is dst = p·v for p of m×n and v of n×d elements.
func mix[T Float](dst, p, v []T, m, n, d int) {
	if dst, ok := any(dst).([]float32); ok && m >= few {
		MatMul32(dst, as32(p), as32(v), m, n, d)
		return
	}
	clear(dst)
	for i := range m {
		to := row(dst, i, d)
		for j, f := range row(p, i, n) {
			addScaled(to, row(v, j, d), f)
		}
	}
}
