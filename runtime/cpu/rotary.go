package cpu

// Rotary is the parameters of [RotaryEmbedding].
type Rotary struct {
	Batch, Seq, Heads, Size int

	Rotated     int  // the number of first elements of a head that are rotated
	HeadsFirst  bool // x is [batch, heads, seq, size], not [batch, seq, heads, size]
	Interleaved bool // pairs are adjacent, not half a vector apart
	Shared      bool // without positions: all sequences of the batch have the same angles
}

// RotaryEmbedding rotates the pairs of each head's vector by the angles of its
// position, given by their cosines and sines:
//
//	dst[a] = cos*x[a] - sin*x[b]
//	dst[b] = sin*x[a] + cos*x[b]
//
// The angles of a token are the row of cos and sin at its position in pos. If pos is nil, it is the row of
// the token itself, or of its place in the sequence if angles are shared.
func RotaryEmbedding[T Float](dst, x, cos, sin []T, pos []int64, o Rotary) {
	r := rotation[T]{o, dst, x, cos, sin, pos}
	tokens := o.Batch * o.Seq
	if dst, ok := any(dst).([]float32); ok {
		t := rotations.get()
		*t = rotationTask{rotation[float32]{o, dst, as32(x), as32(cos), as32(sin), pos}, max(1, rowTurn/max(o.Heads*o.Size, 1))}
		parallel((tokens+t.per-1)/t.per, len(dst)/4, t)
		*t = rotationTask{}
		rotations.put(t)
		return
	}
	for token := range tokens {
		r.token(token)
	}
}

// rotation is the operands of a [RotaryEmbedding].
type rotation[T Float] struct {
	Rotary
	dst, x, cos, sin []T
	pos              []int64
}

// rotationTask is the task of a [RotaryEmbedding] of float32. A turn is some tokens.
type rotationTask struct {
	rotation[float32]
	per int // tokens of a turn
}

var rotations freelist[rotationTask]

func (t *rotationTask) run(i int) {
	for token := i * t.per; token < min((i+1)*t.per, t.Batch*t.Seq); token++ {
		t.token(token)
	}
}

// token rotates all heads of a token.
func (r *rotation[T]) token(token int) {
	half := r.Rotated / 2
	rows := 0
	if half > 0 {
		rows = min(len(r.cos), len(r.sin)) / half
	}
	at := token
	switch {
	case r.pos != nil:
		at = toInt(r.pos[token])
	case r.Shared:
		at = token % r.Seq
	}
	if half > 0 && (at < 0 || at >= rows) {
		fail("RotaryEmbedding", "position %d has no angle, want 0 to %d", at, rows-1)
	}
	c, s := row(r.cos, at, half), row(r.sin, at, half)
	for h := range r.Heads {
		i := token*r.Heads + h
		if r.HeadsFirst {
			i = (token/r.Seq*r.Heads+h)*r.Seq + token%r.Seq
		}
		d, v := row(r.dst, i, r.Size), row(r.x, i, r.Size)
		if r.Interleaved {
			rotatePairs(d, v, c, s)
		} else {
			rotateHalves(d[:half], d[half:2*half], v[:half], v[half:2*half], c, s)
		}
		copy(d[2*half:], v[2*half:])
	}
}

// rotateHalves rotates pairs whose elements are in a and in b.
func rotateHalves[T Float](da, db, a, b, cos, sin []T) {
	if da, ok := any(da).([]float32); ok {
		vecRotate(da, as32(db), as32(a), as32(b), as32(cos), as32(sin))
		return
	}
	rotateGo(da, db, a, b, cos, sin)
}

func vecRotateGo(da, db, a, b, cos, sin []float32) { rotateGo(da, db, a, b, cos, sin) }

func rotateGo[T Float](da, db, a, b, cos, sin []T) {
	for i, c := range cos {
		s, va, vb := sin[i], a[i], b[i]
		da[i] = T(c*va) - T(s*vb)
		db[i] = T(s*va) + T(c*vb)
	}
}

func rotatePairs[T Float](dst, x, cos, sin []T) {
	for i, c := range cos {
		s, a, b := sin[i], x[2*i], x[2*i+1]
		dst[2*i] = T(c*a) - T(s*b)
		dst[2*i+1] = T(s*a) + T(c*b)
	}
}
