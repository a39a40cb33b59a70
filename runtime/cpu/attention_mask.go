package cpu

import "math"

// reach returns the end of the keys that any of n queries sees.
func (a *attention[T]) reach(b, first, n int) int {
	reach := 0
	for i := range n {
		_, hi := a.window(b, first+i)
		reach = max(reach, hi)
	}
	return reach
}

// window returns the range of keys that query i of sample b may see, before masks.
func (a *attention[T]) window(b, i int) (lo, hi int) {
	hi = a.Keys
	if a.valid != nil {
		hi = int(a.valid[b])
	}
	if a.masked() {
		hi = min(hi, a.MaskKeys)
	}
	hi = max(0, min(hi, a.sees(b, i)))
	if a.Left >= 0 {
		lo = max(0, a.position(b, i)-a.Left)
	}
	return min(lo, hi), hi
}

// position returns the number of the key that belongs to query i of sample b.
func (a *attention[T]) position(b, i int) int {
	if a.valid != nil {
		return int(a.valid[b]) - a.Queries + i
	}
	return a.Past + i
}

// sees returns the end of the keys that query i of sample b may see by its position. It may be negative.
func (a *attention[T]) sees(b, i int) int {
	end := math.MaxInt
	if a.Causal {
		end = a.position(b, i) + 1
	}
	if a.Right >= 0 {
		end = min(end, a.position(b, i)+a.Right+1)
	}
	return end
}

func (a *attention[T]) masked() bool { return a.mask != nil || a.allow != nil }

// softmax turns the scores of n queries of head h of sample b into probabilities.
func (a *attention[T]) softmax(s []T, b, h, first, n int) {
	width := len(s) / n
	if !a.Causal && a.Left < 0 && a.Right < 0 && a.qk == nil { // all see the same keys
		for i := range n {
			a.applyMask(row(s, i, width), 0, b, h, first+i)
		}
		a.softmaxRows(s, width)
		return
	}
	if _, ok := any(s).([]float32); ok && a.Left < 0 && a.qk == nil {
		a.softmaxStairs(s, b, h, first, n)
		return
	}
	for i := range n {
		a.softmaxRow(row(s, i, width), b, h, first+i)
	}
}

// softmaxStairs is softmax for queries that see all keys up to different ends: those behind the end of a query are excluded, and all
// rows computed at once.
func (a *attention[T]) softmaxStairs(s []T, b, h, first, n int) {
	width, floor, none := len(s)/n, float32(math.Inf(-1)), T(math.Inf(-1))
	for i := range n {
		to := row(s, i, width)
		_, hi := a.window(b, first+i)
		hi = min(hi, width)
		a.applyMask(to[:hi], 0, b, h, first+i)
		fill(to[hi:], none)
		if hi == 0 || a.masked() {
			floor = -math.MaxFloat32
		}
	}
	if width > 0 {
		softmaxRows(as32(s), as32(s), width, floor)
	}
}

// softmaxRow turns the scores of query i of head h of sample b into
// probabilities.
func (a *attention[T]) softmaxRow(s []T, b, h, i int) {
	lo, hi := a.window(b, i)
	lo = min(lo, len(s))
	hi = min(hi, len(s))
	a.applyMask(s[lo:hi], lo, b, h, i)
	if a.qk != nil && a.Give == ScoresMasked {
		none := T(math.Inf(-1))
		fill(s[:lo], none)
		fill(s[hi:], none)
		copy(row(a.qk, (b*a.Heads+h)*a.Queries+i, a.Keys), s)
	}
	clear(s[:lo])
	clear(s[hi:])
	a.softmaxRows(s[lo:hi], hi-lo)
}

// softmaxRows turns rows of n scores into probabilities. They are zeros if a mask forbids all keys.
func (a *attention[T]) softmaxRows(s []T, n int) {
	if len(s) == 0 {
		return
	}
	if s, ok := any(s).([]float32); ok {
		floor := float32(math.Inf(-1))
		if a.masked() {
			floor = -math.MaxFloat32
		}
		softmaxRows(s, s, n, floor)
		return
	}
	for ; len(s) > 0; s = s[n:] {
		if a.masked() && math.IsInf(float64(largest(s[:n])), -1) {
			clear(s[:n])
		} else {
			Softmax(s[:n], s[:n], 1, n, 1)
		}
	}
}

// applyMask masks the scores of query i of the keys from lo on.
func (a *attention[T]) applyMask(s []T, lo, b, h, i int) {
	if !a.masked() {
		return
	}
	at := a.maskAt(b, h, i) + lo
	none := T(math.Inf(-1))
	if a.allow != nil {
		hide(s, a.allow[at:at+len(s)], none)
		return
	}
	mask := a.mask[at : at+len(s)]
	if s, ok := any(s).([]float32); ok {
		VecAdd32(s, s, as32(mask))
		return
	}
	for j, m := range mask {
		s[j] += m
	}
}

// maskAt returns where the mask of query i of head h of sample b begins.
func (a *attention[T]) maskAt(b, h, i int) int {
	if a.MaskBatch == 1 {
		b = 0
	}
	if a.MaskHeads == 1 {
		h = 0
	}
	if a.MaskQueries == 1 {
		i = 0
	}
	return ((b*a.MaskHeads+h)*a.MaskQueries + i) * a.MaskKeys
}
