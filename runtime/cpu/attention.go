package cpu

import "math"

// Attn is the parameters of [Attention].
type Attn struct {
	Batch, Heads, KVHeads int
	Queries, Keys         int // tokens; the keys include those of the past
	KeySize, ValueSize    int // of a head

	Past        int // keys before the first query; see the parameter valid
	Causal      bool
	Left, Right int // how far a query sees from its own position; -1 is any distance

	MaskBatch, MaskHeads, MaskQueries, MaskKeys int // 1 is for all, except for MaskKeys

	Scale   float64 // 0 is 1/√KeySize
	Softcap float64 // bound of the scores; 0 for none

	// Elements from one token to the next, and before the first: the heads of a token follow each other. Without a step,
	// q, k and v are [batch, heads, tokens, size].
	QStep, KStep, VStep int
	QAt, KAt, VAt       int

	PackedY bool   // y is [batch, queries, heads·size], not [batch, heads, queries, size]
	Give    Scores // the scores that are written to qk
}

// AttnIn is the inputs of [Attention]. The last three forbid keys and may be nil.
type AttnIn[T Float] struct {
	Q     []T     // [Batch, Heads, Queries, KeySize], unless there is a QStep
	K     []T     // [Batch, KVHeads, Keys, KeySize], unless there is a KStep
	V     []T     // [Batch, KVHeads, Keys, ValueSize], unless there is a VStep
	Mask  []T     // [MaskBatch, MaskHeads, MaskQueries, MaskKeys], added to the scores
	Allow []bool  // the same, instead of Mask
	Valid []int64 // [Batch]: the keys of each sample that exist; the queries are the last of them
}

// AttnTokens is the sizes of [AttentionTokens].
type AttnTokens struct {
	Batch, Heads int
	Past, N      int  // tokens: those of the past, and new ones
	Size         int  // of a head
	Packed       bool // the new ones are [Batch, N, Heads·Size]
}

// Scores is a stage of the scores of [Attention].
type Scores uint8

// The stages.
const (
	ScoresRaw     Scores = iota // scaled products of queries and keys
	ScoresCapped                // after the soft cap
	ScoresMasked                // after the masks
	ScoresSoftmax               // probabilities
)

// Where there are no strips, a turn computes at most attnBlock queries of a head, or attnSeen if queries see keys up to
// different ends, as a turn computes the scores of all keys that any of its queries sees. For more threads turns are
// smaller, but not below attnLeast.
const attnBlock, attnSeen, attnLeast = 128, 32, 32

// blocks returns the number of turns of a head's queries.
func (o *Attn) blocks() int {
	if o.Causal || o.Left >= 0 || o.Right >= 0 { // the bits depend on the turns: these must not depend on threads
		return (o.Queries + attnSeen - 1) / attnSeen
	}
	n := (o.Queries + attnBlock - 1) / attnBlock
	if t := Threads(); t > 1 {
		n = max(n, min(3*t/(o.Batch*o.Heads), o.Queries/attnLeast))
	}
	return n
}

// Attention is scaled dot product attention. For each query of each head
//
//	s[j] = scale * q·k[j]             // for every key
//	s[j] = softcap * tanh(s[j]/softcap)
//	s[j] += mask[j]                   // or -Inf where a mask forbids the key
//	p = softmax(s)                    // zeros where every key is forbidden
//	y = Σ p[j]*v[j]
//
// A head of keys and values serves as many heads of queries. Keys beyond MaskKeys are forbidden. y is [batch,
// heads, queries, value size], unless PackedY. qk, [batch, heads, queries, keys], gets the scores of a stage; it
// may be nil. buf is scratch of Queries×Keys elements, and not used for float32.
func Attention[T Float](y, qk []T, in AttnIn[T], buf []T, o Attn) {
	if len(y) == 0 && len(qk) == 0 {
		return
	}
	o.check(in.Mask != nil || in.Allow != nil, in.Valid)
	if o.Scale == 0 {
		o.Scale = 1 / math.Sqrt(float64(o.KeySize))
	}
	if y, ok := any(y).([]float32); ok && qk == nil && o.inStrips() {
		in := AttnIn[float32]{as32(in.Q), as32(in.K), as32(in.V), as32(in.Mask), in.Allow, in.Valid}
		attendInStrips(y, in, o)
		return
	}
	blocks := o.blocks()
	turns := o.Batch * o.Heads * blocks
	if y, ok := any(y).([]float32); ok {
		a := attentions.get()
		*a = attention[float32]{o, y, as32(qk), as32(in.Q), as32(in.K), as32(in.V), as32(in.Mask), in.Allow, in.Valid, nil, blocks}
		parallel(turns, o.cost(), a)
		*a = attention[float32]{}
		attentions.put(a)
		return
	}
	a := attention[T]{o, y, qk, in.Q, in.K, in.V, in.Mask, in.Allow, in.Valid, buf, blocks}
	for i := range turns {
		a.run(i)
	}
}

// cost estimates the nanoseconds of an attention on one thread.
func (o *Attn) cost() int {
	return o.Batch * o.Heads * o.Queries * o.Keys * (o.KeySize + o.ValueSize) / 16
}

// AttentionTokens converts tokens to the layout that [Attention] reads, after those of the past, which may be
// nil:
//
//	for b, h := range batch, heads {
//		dst[b][h] = past[b][h] followed by x[b][h]
//	}
//
// past is [batch, heads, past tokens, size], x the same with new tokens, unless they are packed.
func AttentionTokens[T any](dst, past, x []T, s AttnTokens) {
	if past == nil {
		s.Past = 0
	}
	for i := range s.Batch * s.Heads {
		d := row(dst, i, (s.Past+s.N)*s.Size)
		if past != nil {
			copy(d, row(past, i, s.Past*s.Size))
			d = d[s.Past*s.Size:]
		}
		if !s.Packed {
			copy(d, row(x, i, s.N*s.Size))
			continue
		}
		b, h := i/s.Heads, i%s.Heads
		for t := range s.N {
			copy(row(d, t, s.Size), row(x, (b*s.N+t)*s.Heads+h, s.Size))
		}
	}
}

// check checks the operands whose values depend on data.
func (o *Attn) check(masked bool, valid []int64) {
	if o.KVHeads == 0 || o.Heads%o.KVHeads != 0 {
		fail("Attention", "%d heads of queries are not divisible among %d of keys", o.Heads, o.KVHeads)
	}
	for i, n := range valid {
		if n < 0 || n > int64(o.Keys) {
			fail("Attention", "sample %d has %d valid keys, want 0 to %d", i, n, o.Keys)
		}
	}
	ok := func(n, want int) bool { return n == 1 || n == want }
	if masked && !(ok(o.MaskBatch, o.Batch) && ok(o.MaskHeads, o.Heads) && ok(o.MaskQueries, o.Queries)) {
		fail("Attention", "mask of %d×%d×%d×%d does not broadcast to %d×%d×%d×%d", o.MaskBatch, o.MaskHeads,
			o.MaskQueries, o.MaskKeys, o.Batch, o.Heads, o.Queries, o.Keys)
	}
}

// as32 returns x as float32, which T must be.
func as32[T Float](x []T) []float32 { return any(x).([]float32) }

// attention is the task of an [Attention]. A turn is a block of queries of one head.
type attention[T Float] struct {
	Attn
	y, qk, q, k, v, mask []T
	allow                []bool
	valid                []int64
	buf                  []T
	blocks               int // turns of a head
}

var attentions freelist[attention[float32]]

func (a *attention[T]) run(turn int) {
	head, block := turn/a.blocks, turn%a.blocks
	first := block * a.Queries / a.blocks
	n := (block+1)*a.Queries/a.blocks - first
	b, h := head/a.Heads, head%a.Heads
	kv := h / (a.Heads / a.KVHeads)
	width := a.Keys
	if a.qk == nil {
		width = a.reach(b, first, n)
	}
	s, lent := a.space(n * width)
	at := head*a.Queries + first
	q := a.tokens(a.q, b, h, a.Heads, a.Queries, a.KeySize, a.QStep, a.QAt).from(first)
	k, v := a.keys(a.k, b, kv), a.values(a.v, b, kv)
	scores(s, q, k, n, a.KeySize, width, T(a.Scale))
	a.writeScores(ScoresRaw, s, at)
	if c := a.Softcap; c > 0 {
		scaleShift(s, s, T(1/c), 0)
		Tanh(s, s)
		scaleShift(s, s, T(c), 0)
	}
	a.writeScores(ScoresCapped, s, at)
	a.softmax(s, b, h, first, n)
	a.writeScores(ScoresSoftmax, s, at)
	if a.y != nil {
		step := 0
		if a.PackedY {
			step = a.Heads * a.ValueSize
		}
		y := a.tokens(a.y, b, h, a.Heads, a.Queries, a.ValueSize, step, 0).from(first)
		mix(y, s, v, n, width, a.ValueSize)
	}
	scratch.put(lent)
}
