package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// attend is attention of one query, term by term.
func attend[T Float](o Attn, q []T, key, value func(j int) []T, bias func(j int) float64) []float64 {
	s, sum := make([]float64, o.Keys), 0.0
	for j := range s {
		for l, v := range key(j) {
			s[j] += float64(q[l]) * float64(v) / math.Sqrt(float64(o.KeySize))
		}
		if o.Softcap > 0 {
			s[j] = o.Softcap * math.Tanh(s[j]/o.Softcap)
		}
		s[j] = math.Exp(s[j] + bias(j))
		sum += s[j]
	}
	y := make([]float64, o.ValueSize)
	for j, p := range s {
		for l, v := range value(j) {
			if p > 0 {
				y[l] += p / sum * float64(v)
			}
		}
	}
	return y
}

// TestAttention compares Attention with a plain implementation, for several options.
func TestAttention(t *testing.T) {
	base := Attn{Batch: 2, Heads: 4, KVHeads: 2, Queries: 5, Keys: 7, KeySize: 3, ValueSize: 6, Left: -1, Right: -1}
	with := func(f func(o *Attn)) Attn { o := base; f(&o); return o }
	for name, o := range map[string]Attn{
		"plain":     base,
		"causal":    with(func(o *Attn) { o.Causal = true; o.Past = 2 }),
		"window":    with(func(o *Attn) { o.Left, o.Right, o.Past = 1, 1, 1 }),
		"softcap":   with(func(o *Attn) { o.Softcap = 0.5 }),
		"one query": with(func(o *Attn) { o.Queries = 1 }),
		"packed":    with(func(o *Attn) { o.PackedY = true }),
		"steps":     with(func(o *Attn) { o.QStep, o.KStep, o.VStep, o.QAt, o.KAt, o.VAt = 30, 31, 32, 1, 0, 2 }),
		"blocks":    with(func(o *Attn) { o.Queries, o.Keys, o.Causal = 4*attnSeen+3, 4*attnSeen+3, true }),
		"masked":    with(func(o *Attn) { o.MaskBatch, o.MaskHeads, o.MaskQueries, o.MaskKeys = 1, 4, 1, 6 }),
		"valid":     with(func(o *Attn) { o.Causal, o.Past = true, -1 }), // -1: valid is given
	} {
		t.Run(name, func(t *testing.T) {
			testAttention[float32](t, o)
			testAttention[float64](t, o)
		})
	}
}

func testAttention[T Float](t *testing.T, o Attn) {
	rng := rand.New(rand.NewPCG(3, 4))
	q := uniform[T](rng, o.Batch*o.Heads*o.Queries*max(o.KeySize, o.QStep))
	k := uniform[T](rng, o.Batch*o.KVHeads*o.Keys*max(o.KeySize, o.KStep))
	v := uniform[T](rng, o.Batch*o.KVHeads*o.Keys*max(o.ValueSize, o.VStep))
	token := func(x []T, b, h, heads, i, n, size, step, at int) []T {
		if step == 0 {
			return row(x, (b*heads+h)*n+i, size)
		}
		return x[(b*n+i)*step+at+h*size:][:size]
	}
	var mask []T
	if o.MaskKeys > 0 {
		mask = uniform[T](rng, o.MaskHeads*o.MaskKeys)
		mask[2] = T(math.Inf(-1))
	}
	var valid []int64
	if o.Past < 0 {
		valid, o.Past = []int64{7, 3}, 0
	}
	y := make([]T, o.Batch*o.Heads*o.Queries*o.ValueSize)
	Attention(y, nil, AttnIn[T]{Q: q, K: k, V: v, Mask: mask, Valid: valid}, make([]T, o.Queries*o.Keys), o)
	for i := range o.Batch * o.Heads * o.Queries {
		head, n := i/o.Queries, i%o.Queries
		b, h := head/o.Heads, head%o.Heads
		kv := h * o.KVHeads / o.Heads
		at, last := o.Past+n, o.Keys
		if valid != nil {
			at, last = int(valid[b])-o.Queries+n, int(valid[b])
		}
		bias := func(j int) float64 {
			switch {
			case j >= last, o.Causal && j > at, o.Left >= 0 && j < at-o.Left, o.Right >= 0 && j > at+o.Right, mask != nil && j >= o.MaskKeys:
				return math.Inf(-1)
			case mask != nil:
				return float64(mask[h*o.MaskKeys+j])
			}
			return 0
		}
		want := attend(o, token(q, b, h, o.Heads, n, o.Queries, o.KeySize, o.QStep, o.QAt),
			func(j int) []T { return token(k, b, kv, o.KVHeads, j, o.Keys, o.KeySize, o.KStep, o.KAt) },
			func(j int) []T { return token(v, b, kv, o.KVHeads, j, o.Keys, o.ValueSize, o.VStep, o.VAt) }, bias)
		if o.PackedY {
			i = (b*o.Queries+n)*o.Heads + h
		}
		about(t, "y", row(y, i, o.ValueSize), want...)
	}
}

// A query that sees no key has zeros as its result, whatever the values are.
func TestAttentionForbidden(t *testing.T) {
	o := Attn{Batch: 1, Heads: 1, KVHeads: 1, Queries: 2, Keys: 2, KeySize: 1, ValueSize: 1, Left: -1, Right: -1,
		MaskBatch: 1, MaskHeads: 1, MaskQueries: 2, MaskKeys: 2}
	allow := []bool{false, false, true, false}
	y, qk := make([]float32, 2), make([]float32, 4)
	o.Give = ScoresSoftmax
	Attention(y, qk, AttnIn[float32]{Q: []float32{1, 2}, K: []float32{3, 4}, V: []float32{5, 6}, Allow: allow}, nil, o)
	about(t, "y", y, 0, 5)
	about(t, "probabilities", qk, 0, 0, 1, 0)
	o.Give = ScoresMasked
	Attention(y, qk, AttnIn[float32]{Q: []float32{1, 2}, K: []float32{3, 4}, V: []float32{5, 6}, Allow: allow}, nil, o)
	if !math.IsInf(float64(qk[0]), -1) || !math.IsInf(float64(qk[3]), -1) || qk[2] != 6 {
		t.Errorf("masked scores are %v", qk)
	}
	o.Give = ScoresRaw
	Attention(nil, qk, AttnIn[float32]{Q: []float32{1, 2}, K: []float32{3, 4}, V: []float32{5, 6}, Allow: allow}, nil, o)
	about(t, "scores", qk, 3, 4, 6, 8)
}

// Attention in strips computes the bits of attention that also gives scores, at each level and with several threads.
func TestAttentionInStrips(t *testing.T) {
	defer SetThreads(0)
	base := Attn{Batch: 2, Heads: 4, KVHeads: 2, Queries: 61, Keys: 77, KeySize: 20, ValueSize: 40, Left: -1, Right: -1}
	with := func(f func(o *Attn)) Attn { o := base; f(&o); return o }
	mask := func(o *Attn, batch, heads, queries, keys int) {
		o.MaskBatch, o.MaskHeads, o.MaskQueries, o.MaskKeys = batch, heads, queries, keys
	}
	for name, o := range map[string]Attn{
		"plain":          base,
		"few":            with(func(o *Attn) { o.Queries, o.Keys = 4, 1 }),
		"long":           with(func(o *Attn) { o.Queries, o.Keys = 30, 1100 }),
		"causal":         with(func(o *Attn) { o.Causal = true }),
		"past":           with(func(o *Attn) { o.Causal, o.Past = true, 16 }),
		"right":          with(func(o *Attn) { o.Right = 7 }),
		"softcap":        with(func(o *Attn) { o.Softcap, o.Causal = 0.5, true; mask(o, 1, 1, 61, 77) }),
		"narrow":         with(func(o *Attn) { o.KeySize, o.ValueSize = 8, 16 }),
		"packed":         with(func(o *Attn) { o.QStep, o.KStep, o.VStep, o.QAt, o.VAt, o.PackedY = 1024, 101, 203, 33, 7, true }),
		"mask":           with(func(o *Attn) { mask(o, 2, 4, 61, 77) }),
		"wide mask":      with(func(o *Attn) { mask(o, 1, 1, 61, 512) }),
		"narrow mask":    with(func(o *Attn) { mask(o, 1, 4, 61, 48) }),
		"mask of keys":   with(func(o *Attn) { mask(o, 2, 1, 1, 77) }),
		"mask of steps":  with(func(o *Attn) { o.Causal = true; mask(o, 1, 4, 61, 70) }),
		"valid":          with(func(o *Attn) { o.Causal, o.Past = true, -1 }), // -1: valid is given
		"valid and mask": with(func(o *Attn) { o.Past = -1; mask(o, 1, 1, 61, 77) }),
	} {
		t.Run(name, func(t *testing.T) {
			eachLevel(t, func(t *testing.T) {
				testAttentionInStrips(t, o, false)
				if o.MaskKeys > 0 {
					testAttentionInStrips(t, o, true)
				}
			})
		})
	}
}

func testAttentionInStrips(t *testing.T, o Attn, allow bool) {
	rng := rand.New(rand.NewPCG(7, 8))
	in := AttnIn[float32]{
		Q: randoms(rng, o.Batch*o.Queries*max(o.Heads*o.KeySize, o.QStep)),
		K: randoms(rng, o.Batch*o.Keys*max(o.KVHeads*o.KeySize, o.KStep)),
		V: randoms(rng, o.Batch*o.Keys*max(o.KVHeads*o.ValueSize, o.VStep)),
	}
	if o.Past < 0 {
		in.Valid, o.Past = []int64{77, 30}, 0
	}
	if n := o.MaskBatch * o.MaskHeads * o.MaskQueries * o.MaskKeys; n > 0 && allow {
		in.Allow = make([]bool, n)
		for i := range in.Allow {
			in.Allow[i] = i >= o.MaskKeys && i%3 > 0 // the first query sees nothing
		}
	} else if n > 0 {
		in.Mask = randoms(rng, n)
		in.Mask[2] = float32(math.Inf(-1))
	}
	n := o.Batch * o.Heads * o.Queries
	qk, want, got := make([]float32, n*o.Keys), make([]float32, n*o.ValueSize), make([]float32, n*o.ValueSize)
	o.Give = ScoresSoftmax
	Attention(want, qk, in, nil, o)
	for _, threads := range []int{1, 4} {
		SetThreads(threads)
		fill(got, float32(math.NaN()))
		Attention(got, nil, in, nil, o)
		if i := slices.IndexFunc(got, func(x float32) bool { return x != x }); i >= 0 {
			t.Fatalf("%d threads: element %d is NaN", threads, i)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d threads: other bits than with scores", threads)
		}
	}
}

// TestAttentionTokens checks how new tokens are appended to earlier ones.
func TestAttentionTokens(t *testing.T) {
	x := []int32{1, 2, 3, 4, 5, 6, 7, 8} // 2 tokens, 2 heads of 2
	dst := make([]int32, 8)
	AttentionTokens(dst, nil, x, AttnTokens{Batch: 1, Heads: 2, Past: 0, N: 2, Size: 2, Packed: true})
	if want := [8]int32{1, 2, 5, 6, 3, 4, 7, 8}; [8]int32(dst) != want {
		t.Errorf("packed: got %v, want %v", dst, want)
	}
	dst = make([]int32, 6)
	AttentionTokens(dst, []int32{9, 10}, []int32{1, 2, 3, 4}, AttnTokens{Batch: 1, Heads: 2, Past: 1, N: 2, Size: 1})
	if want := [6]int32{9, 1, 2, 10, 3, 4}; [6]int32(dst) != want {
		t.Errorf("with a past: got %v, want %v", dst, want)
	}
}

// TestAttentionAllocatesNothing checks that Attention allocates no memory.
func TestAttentionAllocatesNothing(t *testing.T) {
	o := Attn{Batch: 1, Heads: 2, KVHeads: 2, Queries: 9, Keys: 9, KeySize: 4, ValueSize: 4, Left: -1, Right: -1, Causal: true}
	x, y := make([]float32, 72), make([]float32, 72)
	if n := allocations(20, func() { Attention(y, nil, AttnIn[float32]{Q: x, K: x, V: x}, nil, o) }); n > 0 && !raceEnabled {
		t.Errorf("%v allocations", n)
	}
}

// TestLinearAttention checks LinearAttention against values computed by hand.
func TestLinearAttention(t *testing.T) {
	o := LinearAttn{Batch: 1, Seq: 2, Heads: 2, KVHeads: 1, KeySize: 2, ValueSize: 1, DecaySize: 1, BetaSize: 1, Scale: 1}
	y, state, buf := make([]float64, 4), make([]float64, 2), make([]float64, 1)
	q := []float64{1, 0, 0, 1, 1, 1, 1, -1}
	k, v := []float64{1, 2, 3, 0}, []float64{5, 7}
	LinearAttention(y, state, LinearAttnIn[float64]{Q: q, K: k, V: v}, buf, o)
	about(t, "state", state, 5+21, 10)
	about(t, "y", y, 5, 10, 36, 16)
	decay, beta := []float64{0, math.Log(0.5)}, []float64{1, 0.5}
	LinearAttention(y, state, LinearAttnIn[float64]{Q: q, K: k, V: v, Past: []float64{1, 0}, Decay: decay, Beta: beta}, buf, o)
	// S = (1,0) + (1,2)·(5-1) = (5,8); S/2 = (2.5,4); v = (7-7.5)/2
	about(t, "gated delta", state, 2.5-0.75, 4)
	about(t, "gated delta y", y, 5, 8, 5.75, -2.25)
}

// TestRotaryEmbedding checks RotaryEmbedding against values computed by hand.
func TestRotaryEmbedding(t *testing.T) {
	x := []float32{1, 2, 3, 4, 9}
	cos, sin := []float32{1, 0, 0.5, 1}, []float32{0, 1, 0.5, 0}
	y := make([]float32, 5)
	o := Rotary{Batch: 1, Seq: 1, Heads: 1, Size: 5, Rotated: 4}
	RotaryEmbedding(y, x, cos, sin, []int64{0}, o)
	about(t, "halves", y, 1, -4, 3, 2, 9)
	o.Interleaved = true
	RotaryEmbedding(y, x, cos, sin, []int64{1}, o)
	about(t, "pairs", y, -0.5, 1.5, 3, 4, 9)
	defer func() {
		if err, _ := recover().(*Error); err == nil {
			t.Error("want an error")
		}
	}()
	RotaryEmbedding(y, x, cos, sin, []int64{2}, o)
}

// Shared angles apply to each sequence.
func TestRotaryEmbeddingShared(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	o := Rotary{Batch: 2, Seq: 3, Heads: 2, Size: 4, Rotated: 4, HeadsFirst: true}
	x, cos, sin := randoms(rng, 48), randoms(rng, 6), randoms(rng, 6)
	want, got := make([]float32, 48), make([]float32, 48)
	RotaryEmbedding(want, x, slices.Concat(cos, cos), slices.Concat(sin, sin), nil, o)
	o.Shared = true
	RotaryEmbedding(got, x, cos, sin, nil, o)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The bits do not depend on the number of threads, also with few heads.
func TestAttentionBitsOfThreads(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(1, 2))
	eachLevel(t, func(t *testing.T) {
		for _, causal := range []bool{false, true} {
			for _, queries := range []int{1, 31, 65, 129, 300} {
				o := Attn{Batch: 1, Heads: 2, KVHeads: 2, Queries: queries, Keys: queries, KeySize: 8, ValueSize: 8, Left: -1, Right: -1, Causal: causal}
				n := o.Heads * queries * o.KeySize
				q, k, v := randoms(rng, n), randoms(rng, n), randoms(rng, n)
				want, got := make([]float32, n), make([]float32, n)
				SetThreads(1)
				Attention(want, nil, AttnIn[float32]{Q: q, K: k, V: v}, nil, o)
				for _, threads := range []int{2, 5} {
					SetThreads(threads)
					Attention(got, nil, AttnIn[float32]{Q: q, K: k, V: v}, nil, o)
					if !slices.Equal(got, want) {
						t.Errorf("%d queries, causal %v: %d threads compute other bits than one", queries, causal, threads)
					}
				}
			}
		}
	})
}
