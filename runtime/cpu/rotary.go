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
	first, step := token*r.Heads*r.Size, r.Size
	if r.HeadsFirst {
		first, step = (token/r.Seq*r.Heads*r.Seq+token%r.Seq)*r.Size, r.Seq*r.Size
	}
	r.rotate(r.dst[first:], r.x[first:], row(r.cos, at, half), row(r.sin, at, half), step)
}

// rotate rotates the vectors of a token's heads, which are step apart.
func (r *rotation[T]) rotate(dst, x, cos, sin []T, step int) {
	n := 2 * len(cos)
	if !r.Interleaved && r.Heads > 0 {
		end := (r.Heads-1)*step + n
		rotateHalves(dst[:end], x[:end], cos, sin, r.Heads, step)
	}
	for h := range r.Heads {
		d, v := dst[h*step:][:r.Size], x[h*step:][:r.Size]
		if r.Interleaved {
			rotatePairs(d, v, cos, sin)
		}
		copy(d[n:], v[n:])
	}
}

// rotateHalves rotates vectors that are step apart. The pairs are half a vector apart.
func rotateHalves[T Float](dst, x, cos, sin []T, vectors, step int) {
	if dst, ok := any(dst).([]float32); ok {
		vecRotate(dst, as32(x), as32(cos), as32(sin), vectors, step)
		return
	}
	rotateGo(dst, x, cos, sin, vectors, step)
}

func vecRotateGo(dst, x, cos, sin []float32, vectors, step int) {
	rotateGo(dst, x, cos, sin, vectors, step)
}

func rotateGo[T Float](dst, x, cos, sin []T, vectors, step int) {
	half := len(cos)
	for h := range vectors {
		d, v := dst[h*step:][:2*half], x[h*step:][:2*half]
		for i, c := range cos {
			s, a, b := sin[i], v[i], v[half+i]
			d[i] = T(c*a) - T(s*b)
			d[half+i] = T(s*a) + T(c*b)
		}
	}
}

func rotatePairs[T Float](dst, x, cos, sin []T) {
	for i, c := range cos {
		s, a, b := sin[i], x[2*i], x[2*i+1]
		dst[2*i] = T(c*a) - T(s*b)
		dst[2*i+1] = T(s*a) + T(c*b)
	}
}
