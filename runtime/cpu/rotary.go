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
	half := o.Rotated / 2
	rows := 0
	if half > 0 {
		rows = min(len(cos), len(sin)) / half
	}
	for token := range o.Batch * o.Seq {
		at := token
		switch {
		case pos != nil:
			at = toInt(pos[token])
		case o.Shared:
			at = token % o.Seq
		}
		if half > 0 && (at < 0 || at >= rows) {
			fail("RotaryEmbedding", "position %d has no angle, want 0 to %d", at, rows-1)
		}
		c, s := row(cos, at, half), row(sin, at, half)
		for h := range o.Heads {
			i := token*o.Heads + h
			if o.HeadsFirst {
				i = (token/o.Seq*o.Heads+h)*o.Seq + token%o.Seq
			}
			d, v := row(dst, i, o.Size), row(x, i, o.Size)
			if o.Interleaved {
				rotatePairs(d, v, c, s)
			} else {
				rotateHalves(d[:half], d[half:2*half], v[:half], v[half:2*half], c, s)
			}
			copy(d[2*half:], v[2*half:])
		}
	}
}

func rotateHalves[T Float](da, db, a, b, cos, sin []T) {
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
