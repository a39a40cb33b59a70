package cpu

import "math"

// AttentionGrad is the gradient of [Attention] by its queries, keys and values, in the layout of these, where dy is that of y.
// With the probabilities p of all queries and keys, which are computed again:
//
//	dv = pᵀ·dy
//	ds = scale * p·(dy·vᵀ - Σ p·(dy·vᵀ)) // for each query
//	dq = ds·k
//	dk = dsᵀ·q
//
// There must be no soft cap, and no numbers of valid keys. A head of keys and values gets the sum of what its heads of queries
// give. buf is scratch of 2·Queries×Keys elements, and not used for float32.
func AttentionGrad[T Float](dq, dk, dv, dy []T, in AttnIn[T], buf []T, o Attn) {
	if len(dq) == 0 && len(dk) == 0 && len(dv) == 0 {
		return
	}
	o.check(in.Mask != nil || in.Allow != nil, nil)
	if o.Scale == 0 {
		o.Scale = 1 / math.Sqrt(float64(o.KeySize))
	}
	turns := o.Batch * o.KVHeads
	if dy, ok := any(dy).([]float32); ok {
		g := attentionGrads.get()
		*g = attentionGrad[float32]{
			attention[float32]{Attn: o, y: dy, q: as32(in.Q), k: as32(in.K), v: as32(in.V), mask: as32(in.Mask), allow: in.Allow},
			as32(dq), as32(dk), as32(dv),
		}
		parallel(turns, o.Batch*o.Heads*o.Queries*o.Keys*(o.KeySize+o.ValueSize)/6, g)
		*g = attentionGrad[float32]{}
		attentionGrads.put(g)
		return
	}
	g := attentionGrad[T]{attention[T]{Attn: o, y: dy, q: in.Q, k: in.K, v: in.V, mask: in.Mask, allow: in.Allow, buf: buf}, dq, dk, dv}
	for i := range turns {
		g.run(i)
	}
}

// attentionGrad is the task of an [AttentionGrad], with dy in place of y. A turn is a head of keys and values with all of its heads
// of queries.
type attentionGrad[T Float] struct {
	attention[T]
	dq, dk, dv []T
}

var attentionGrads freelist[attentionGrad[float32]]

func (g *attentionGrad[T]) run(turn int) {
	b, kv := turn/g.KVHeads, turn%g.KVHeads
	k, v := g.keys(g.k, b, kv), g.values(g.v, b, kv)
	dk, dv := g.keys(g.dk, b, kv), g.values(g.dv, b, kv)
	for i := range g.Keys {
		clear(dk.token(i, g.KeySize))
		clear(dv.token(i, g.ValueSize))
	}
	block := attnBlock // independent of the threads, as the sums over queries are
	if g.Causal || g.Left >= 0 || g.Right >= 0 {
		block = 2 * attnSeen
	}
	group := g.Heads / g.KVHeads
	for h := kv * group; h < (kv+1)*group; h++ {
		for first := 0; first < g.Queries; first += block {
			g.queries(b, h, first, min(block, g.Queries-first), k, v, dk, dv)
		}
	}
}

// queries computes the gradients of n queries of a head, and adds their part of those of keys and values.
func (g *attentionGrad[T]) queries(b, h, first, n int, k, v, dk, dv tokens[T]) {
	width := g.reach(b, first, n)
	space, lent := g.space(2 * n * width)
	p, ds := space[:n*width], space[n*width:]
	q := g.tokens(g.q, b, h, g.Heads, g.Queries, g.KeySize, g.QStep, g.QAt).from(first)
	dq := g.tokens(g.dq, b, h, g.Heads, g.Queries, g.KeySize, g.QStep, g.QAt).from(first)
	step := 0
	if g.PackedY {
		step = g.Heads * g.ValueSize
	}
	dy := g.tokens(g.y, b, h, g.Heads, g.Queries, g.ValueSize, step, 0).from(first)

	scores(p, q, k, n, g.KeySize, width, T(g.Scale))
	g.softmax(p, b, h, first, n)
	mixInto(dv, p, dy, n, width, g.ValueSize)
	scores(ds, dy, v, n, g.ValueSize, width, T(g.Scale))
	SoftmaxGrad(ds, ds, p, n, width, 1)
	mix(dq, ds, k, n, width, g.KeySize)
	mixInto(dk, ds, q, n, width, g.KeySize)
	scratch.put(lent)
}

// mixInto is dst += pᵀ·x for m rows of n factors and m tokens of d elements.
func mixInto[T Float](dst tokens[T], p []T, x tokens[T], m, n, d int) {
	if to, ok := any(dst.x).([]float32); ok && n >= few && m > 0 && d > 0 {
		mixInto32(to, as32(p), as32(x.x), m, n, d, dst.step, x.step)
		return
	}
	for i := range m {
		for j, f := range row(p, i, n) {
			addScaled(dst.token(j, d), x.token(i, d), f)
		}
	}
}

func mixInto32(dst, p, x []float32, m, n, d, ldc, ldb int) {
	g, own := gemms.get(), []float32(nil)
	*g = gemm{dst: dst, batch: 1, m: n, k: m, n: d, lda: m, ldc: ldc, acc: true}
	if takesColumns(n, d) {
		g.a = p
		g.transposeA((*gemmTile).runColumns)
	} else {
		own = scratch.get(m * n)
		transpose(own, p, m, n, m, n)
		g.a = own
	}
	g.times(x, ldb, false, 1)
	scratch.put(own)
}
