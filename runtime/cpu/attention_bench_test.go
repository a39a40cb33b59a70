package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkAttention times attention with one thread: heads of 64 and 32, few and many tokens, and causal ones.
func BenchmarkAttention(b *testing.B) {
	defer SetThreads(0)
	SetThreads(1)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []struct {
		heads, tokens, size int
		causal, mask        bool
	}{{3, 200, 64, false, false}, {4, 48, 32, false, true}, {4, 64, 32, true, false}, {4, 64, 64, false, false}, {8, 49, 32, false, false}, {2, 1000, 64, true, false}} {
		o := Attn{Batch: 1, Heads: s.heads, KVHeads: s.heads, Queries: s.tokens, Keys: s.tokens, KeySize: s.size, ValueSize: s.size,
			Left: -1, Right: -1, Causal: s.causal, PackedY: true}
		o.QStep, o.KStep, o.VStep = s.heads*s.size, s.heads*s.size, s.heads*s.size
		n := s.tokens * s.heads * s.size
		q, k, v, y := randoms(rng, n), randoms(rng, n), randoms(rng, n), make([]float32, n)
		in := AttnIn[float32]{Q: q, K: k, V: v}
		if s.mask {
			o.MaskBatch, o.MaskHeads, o.MaskQueries, o.MaskKeys = 1, s.heads, s.tokens, s.tokens
			in.Mask = randoms(rng, s.heads*s.tokens*s.tokens)
		}
		for _, l := range Levels()[1:] {
			b.Run(fmt.Sprintf("%dx%dx%d,causal=%v,mask=%v/%v", s.heads, s.tokens, s.size, s.causal, s.mask, l), func(b *testing.B) {
				defer SetLevel(SetLevel(l))
				for b.Loop() {
					Attention(y, nil, in, nil, o)
				}
				b.ReportMetric(4*float64(n*s.tokens)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}
