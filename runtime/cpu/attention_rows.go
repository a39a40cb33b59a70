package cpu

// few is the number of rows from which on a product packs its other operand; fewer rows are multiplied one by
// one.
const few = 4

// tokens is the tokens of one head.
type tokens[T Float] struct {
	x    []T
	step int // elements from one to the next
}

// tokens returns the tokens of head h of sample b in x.
func (a *attention[T]) tokens(x []T, b, h, heads, n, size, step, at int) tokens[T] {
	if len(x) == 0 {
		return tokens[T]{step: size}
	}
	if step == 0 {
		return tokens[T]{x[(b*heads+h)*n*size:], size}
	}
	return tokens[T]{x[b*n*step+at+h*size:], step}
}

// keys returns the tokens of a head in x, which has the layout of the keys.
func (a *attention[T]) keys(x []T, b, kv int) tokens[T] {
	return a.tokens(x, b, kv, a.KVHeads, a.Keys, a.KeySize, a.KStep, a.KAt)
}

// values returns the tokens of a head in x, which has the layout of the values.
func (a *attention[T]) values(x []T, b, kv int) tokens[T] {
	return a.tokens(x, b, kv, a.KVHeads, a.Keys, a.ValueSize, a.VStep, a.VAt)
}

// from returns all tokens but the first n.
func (t tokens[T]) from(n int) tokens[T] { return tokens[T]{t.x[min(n*t.step, len(t.x)):], t.step} }

// token returns token i, which has size elements.
func (t tokens[T]) token(i, size int) []T { return t.x[i*t.step:][:size] }

// space returns memory for the scores of a turn, and the buffer that must be given back.
func (a *attention[T]) space(n int) (s []T, lent []float32) {
	buf := a.buf
	if _, ok := any(buf).([]float32); ok {
		lent = scratch.get(n)
		buf = any(lent).([]T)
	}
	return buf[:n], lent
}

// writeScores writes the scores of some queries to qk if they are wanted at this stage.
func (a *attention[T]) writeScores(stage Scores, s []T, at int) {
	if a.qk != nil && a.Give == stage {
		copy(a.qk[at*a.Keys:], s)
	}
}

// scores is dst = scale·q·kᵀ for m queries and n keys of d elements.
func scores[T Float](dst []T, q, k tokens[T], m, d, n int, scale T) {
	if len(dst) == 0 {
		return
	}
	if dst, ok := any(dst).([]float32); ok && m >= few {
		g := gemms.get()
		*g = gemm{dst: dst, a: as32(q.x), batch: 1, m: m, k: d, n: n, lda: q.step, ldc: n}
		g.times(as32(k.x), k.step, true, float32(scale))
		return
	}
	for i := range m {
		x, to := q.token(i, d), row(dst, i, n)
		for j := range to {
			to[j] = scale * dot(x, k.token(j, d))
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

// mix is dst = p·v for m rows of n probabilities and n values of d elements.
func mix[T Float](dst tokens[T], p []T, v tokens[T], m, n, d int) {
	if x, ok := any(dst.x).([]float32); ok && m >= few && n > 0 && d > 0 {
		g := gemms.get()
		*g = gemm{dst: x, a: as32(p), batch: 1, m: m, k: n, n: d, lda: n, ldc: dst.step}
		g.times(as32(v.x), v.step, false, 1)
		return
	}
	for i := range m {
		to := dst.token(i, d)
		clear(to)
		for j, f := range row(p, i, n) {
			addScaled(to, v.token(j, d), f)
		}
	}
}
