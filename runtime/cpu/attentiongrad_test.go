package cpu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// attentionOf returns Σ dy·y of an attention, in float64.
func attentionOf(o Attn, q, k, v, dy []float64, allow []bool) float64 {
	y := make([]float64, len(dy))
	Attention(y, nil, AttnIn[float64]{Q: q, K: k, V: v, Allow: allow}, make([]float64, o.Queries*o.Keys), o)
	sum := 0.0
	for i, g := range dy {
		sum += g * y[i]
	}
	return sum
}

// TestAttentionGrad compares AttentionGrad with central differences, for several options.
func TestAttentionGrad(t *testing.T) {
	base := Attn{Batch: 2, Heads: 4, KVHeads: 2, Queries: 5, Keys: 7, KeySize: 3, ValueSize: 6, Left: -1, Right: -1}
	with := func(f func(o *Attn)) Attn { o := base; f(&o); return o }
	for name, o := range map[string]Attn{
		"plain":     base,
		"causal":    with(func(o *Attn) { o.Causal = true }),
		"window":    with(func(o *Attn) { o.Left, o.Right = 1, 2 }),
		"one query": with(func(o *Attn) { o.Queries = 1 }),
		"one key":   with(func(o *Attn) { o.Keys = 1 }),
		"scale":     with(func(o *Attn) { o.Scale = 0.3 }),
		"packed":    with(func(o *Attn) { o.QStep, o.KStep, o.VStep, o.PackedY = 12, 6, 12, true }),
		"columns":   with(func(o *Attn) { o.QStep, o.KStep, o.VStep, o.QAt, o.KAt, o.VAt = 30, 31, 32, 1, 0, 2 }),
		"blocks": with(func(o *Attn) {
			o.Batch, o.Heads, o.KVHeads, o.Queries, o.Keys, o.Causal = 1, 2, 1, 2*attnSeen+3, 2*attnSeen+3, true
		}),
		"allowed": with(func(o *Attn) { o.MaskBatch, o.MaskHeads, o.MaskQueries, o.MaskKeys = 1, 1, 5, 7 }),
		"vectors": with(func(o *Attn) {
			o.Batch, o.Heads, o.KVHeads = 1, 2, 1 // differences take time, above all under an emulator
			o.Queries, o.Keys, o.KeySize, o.ValueSize, o.Causal = 17, 19, 16, 32, true
		}),
	} {
		t.Run(name, func(t *testing.T) { testAttentionGrad(t, o) })
	}
}

func testAttentionGrad(t *testing.T, o Attn) {
	rng := rand.New(rand.NewPCG(5, 6))
	size := func(heads, n, size, step int) int { return o.Batch * n * max(heads*size, step) }
	q := uniform[float64](rng, size(o.Heads, o.Queries, o.KeySize, o.QStep))
	k := uniform[float64](rng, size(o.KVHeads, o.Keys, o.KeySize, o.KStep))
	v := uniform[float64](rng, size(o.KVHeads, o.Keys, o.ValueSize, o.VStep))
	dy := uniform[float64](rng, o.Batch*o.Heads*o.Queries*o.ValueSize)
	var allow []bool
	if o.MaskKeys > 0 {
		allow = make([]bool, o.MaskQueries*o.MaskKeys)
		for i := range allow {
			allow[i] = i >= o.MaskKeys && i%3 != 1 // the first query sees nothing
		}
	}
	x := [3][]float64{q, k, v}
	var want [3][]float64
	for i, of := range x {
		want[i] = make([]float64, len(of))
		for j := range of {
			const h = 1e-5
			keep := of[j]
			of[j] = keep + h
			up := attentionOf(o, q, k, v, dy, allow)
			of[j] = keep - h
			want[i][j] = (up - attentionOf(o, q, k, v, dy, allow)) / (2 * h)
			of[j] = keep
		}
	}
	checkAttentionGrad(t, o, x, dy, allow, want, 1e-8)
	eachLevel(t, func(t *testing.T) {
		checkAttentionGrad(t, o, [3][]float32{narrow32(q), narrow32(k), narrow32(v)}, narrow32(dy), allow, want, 1e-4)
	})
}

// checkAttentionGrad computes the gradients over memory with other values in it, with 1 and 4 threads.
func checkAttentionGrad[T Float](t *testing.T, o Attn, x [3][]T, dy []T, allow []bool, want [3][]float64, limit float64) {
	t.Helper()
	defer SetThreads(0)
	for _, threads := range []int{1, 4} {
		SetThreads(threads)
		var d [3][]T
		for i := range d {
			d[i] = make([]T, len(x[i]))
			for j, v := range want[i] {
				if v != 0 { // columns of other operands keep what they hold
					d[i][j] = T(math.NaN())
				}
			}
		}
		AttentionGrad(d[0], d[1], d[2], dy, AttnIn[T]{Q: x[0], K: x[1], V: x[2], Allow: allow}, make([]T, 2*o.Queries*o.Keys), o)
		for i, of := range []string{"queries", "keys", "values"} {
			for j, got := range d[i] {
				if !(math.Abs(float64(got)-want[i][j]) <= limit) {
					t.Fatalf("%d threads: gradient %d of the %s: got %v, want %v", threads, j, of, got, want[i][j])
				}
			}
		}
	}
}
