package cpu

import "math"

// LinearAttn is the parameters of [LinearAttention].
type LinearAttn struct {
	Batch, Seq, Heads, KVHeads int
	KeySize, ValueSize         int
	DecaySize                  int     // decays of a token: KVHeads, or KVHeads·KeySize
	BetaSize                   int     // betas of a token: KVHeads, or 1
	Scale                      float64 // 0 is 1/√KeySize
}

// LinearAttnIn is the inputs of [LinearAttention]. The last three may be nil.
type LinearAttnIn[T Float] struct {
	Q     []T // [Batch, Seq, Heads·KeySize]
	K     []T // [Batch, Seq, KVHeads·KeySize]
	V     []T // [Batch, Seq, KVHeads·ValueSize]
	Past  []T // [Batch, KVHeads, KeySize, ValueSize]: the state at the beginning, which is zero if nil
	Decay []T // [Batch, Seq, DecaySize]: the logarithm of the part of the state that is kept
	Beta  []T // [Batch, Seq, BetaSize]: the part of a value that replaces what the state holds for its key
}

// LinearAttention computes attention with a state of KeySize×ValueSize for each head. For each token in turn
//
//	S *= exp(decay)                        // if decay is not nil
//	v = beta * (v - Sᵀ·k)                  // if beta is not nil
//	S += k ⊗ v
//	y = scale * Sᵀ·q
//
// y is [batch, seq, heads·ValueSize], and state the state at the end. buf is scratch of ValueSize elements.
func LinearAttention[T Float](y, state []T, in LinearAttnIn[T], buf []T, o LinearAttn) {
	if in.Past != nil {
		copy(state, in.Past)
	} else {
		clear(state)
	}
	scale := [1]T{T(o.Scale)}
	if o.Scale == 0 {
		scale[0] = T(1 / math.Sqrt(float64(o.KeySize)))
	}
	group := o.Heads / o.KVHeads
	for i := range o.Batch * o.KVHeads {
		s := row(state, i, o.KeySize*o.ValueSize)
		b, h := i/o.KVHeads, i%o.KVHeads
		for token := b * o.Seq; token < (b+1)*o.Seq; token++ {
			at := token*o.KVHeads + h
			key := row(in.K, at, o.KeySize)
			if in.Decay != nil {
				n := o.DecaySize / o.KVHeads
				fadeState(s, row(in.Decay, at, n), o.ValueSize)
			}
			copy(buf, row(in.V, at, o.ValueSize))
			if in.Beta != nil {
				readState(buf, s, key, -1)
				n := token
				if o.BetaSize > 1 {
					n = at
				}
				Mul(buf, buf, in.Beta[n:n+1])
			}
			for d, f := range key {
				addScaled(row(s, d, o.ValueSize), buf, f)
			}
			for g := range group {
				head := token*o.Heads + h*group + g
				out := row(y, head, o.ValueSize)
				clear(out)
				readState(out, s, row(in.Q, head, o.KeySize), 1)
				Mul(out, out, scale[:])
			}
		}
	}
}

// fadeState multiplies the rows of a state by exp(decay), which has one element for each row or one for all.
func fadeState[T Float](s, decay []T, n int) {
	if len(decay) == 1 {
		f := [1]T{T(math.Exp(float64(decay[0])))}
		Mul(s, s, f[:])
		return
	}
	for d, v := range decay {
		f := [1]T{T(math.Exp(float64(v)))}
		Mul(row(s, d, n), row(s, d, n), f[:])
	}
}

// readState is dst += sign·Sᵀ·x.
func readState[T Float](dst, s, x []T, sign T) {
	for d, v := range x {
		addScaled(dst, row(s, d, len(dst)), sign*v)
	}
}

// addScaled is dst += f·x.
func addScaled[T Float](dst, x []T, f T) {
	if d, ok := any(dst).([]float32); ok {
		VecAxpy32(d, any(x).([]float32), float32(f))
		return
	}
	for i, v := range x {
		dst[i] += T(f * v)
	}
}
