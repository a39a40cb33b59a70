package all_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// attentionCase is the sizes and the options of an Attention, of [batch, heads, tokens, size] inputs.
type attentionCase struct {
	batch, heads, kvHeads  int
	queries, keys, past    int
	size, valueSize        int
	causal                 bool
	left, right            int // -1: no limit
	softcap                float64
	scaled                 bool // there is a scale, which may be 0
	scale                  float64
	mode                   int
	maskShape              []int     // of [batch, heads, queries, keys]; nil: no mask
	allowed                []bool    // one mask,
	added                  []float64 // or the other
	nonpad                 []int64   // nil: all keys count
	q, k, v, pastK, pastV  []float64
	packed                 bool // the inputs of the node are [batch, tokens, heads·size]
	present, debug, output []float64
}

func (c *attentionCase) total() int { return c.past + c.keys }

// key returns element d of a key or value, of which the past ones come first.
func (c *attentionCase) key(past, now []float64, b, h, t, d, size int) float64 {
	if t < c.past {
		return past[((b*c.kvHeads+h)*c.past+t)*size+d]
	}
	return now[((b*c.kvHeads+h)*c.keys+t-c.past)*size+d]
}

// bias returns what the mask adds for a query and a key. Masks broadcast; keys beyond a short one are excluded.
func (c *attentionCase) bias(b, h, i, j int) float64 {
	if c.maskShape == nil {
		return 0
	}
	at, index := 0, []int{b, h, i, j}[4-len(c.maskShape):]
	for k, n := range c.maskShape {
		last := k == len(c.maskShape)-1
		switch {
		case last && index[k] >= n && (n != 1 || c.total() == 1):
			return math.Inf(-1)
		case n == 1:
			at *= n
		default:
			at = at*n + index[k]
		}
	}
	if c.allowed == nil {
		return c.added[at]
	}
	if c.allowed[at] {
		return 0
	}
	return math.Inf(-1)
}

// visible reports whether a query may see a key, apart from the mask.
func (c *attentionCase) visible(b, i, j int) bool {
	offset := c.past
	if c.nonpad != nil {
		if j >= int(c.nonpad[b]) {
			return false
		}
		offset = int(c.nonpad[b]) - c.queries
	}
	at := offset + i
	return !(c.causal && j > at) && !(c.left >= 0 && j < at-c.left) && !(c.right >= 0 && j > at+c.right)
}

// solve computes the outputs by the specification's text.
func (c *attentionCase) solve() {
	scale := c.scale
	if !c.scaled {
		scale = 1 / math.Sqrt(float64(c.size))
	}
	for b := range c.batch {
		for h := range c.heads {
			kv := h / (c.heads / c.kvHeads)
			for i := range c.queries {
				p := make([]float64, c.total())
				sum, some := 0.0, false
				for j := range p {
					s := 0.0
					for d := range c.size {
						s += c.q[((b*c.heads+h)*c.queries+i)*c.size+d] * c.key(c.pastK, c.k, b, kv, j, d, c.size)
					}
					s *= scale
					capped := s
					if c.softcap > 0 {
						capped = c.softcap * math.Tanh(s/c.softcap)
					}
					masked := capped + c.bias(b, h, i, j)
					if !c.visible(b, i, j) {
						masked = math.Inf(-1)
					}
					p[j] = math.Exp(masked)
					sum += p[j]
					some = some || !math.IsInf(masked, -1)
					if c.mode < 3 {
						c.debug = append(c.debug, []float64{s, capped, masked}[c.mode])
					}
				}
				for j := range p {
					p[j] /= sum
					if !some {
						p[j] = 0
					}
				}
				if c.mode == 3 {
					c.debug = append(c.debug, p...)
				}
				for d := range c.valueSize {
					y := 0.0
					for j := range p {
						y += p[j] * c.key(c.pastV, c.v, b, kv, j, d, c.valueSize)
					}
					c.output = append(c.output, y)
				}
			}
		}
	}
	for b := range c.batch {
		for h := range c.kvHeads {
			for j := range c.total() {
				for d := range c.size {
					c.present = append(c.present, c.key(c.pastK, c.k, b, h, j, d, c.size))
				}
			}
		}
	}
}

// laidOut returns x, [batch, heads, tokens, size], as an input of the node.
func (c *attentionCase) laidOut(x []float64, heads, tokens, size int) *tensor.Tensor {
	if !c.packed {
		return tensor.Of(x, c.batch, heads, tokens, size)
	}
	y := make([]float64, len(x))
	for i, v := range x {
		d, t, h, b := i%size, i/size%tokens, i/size/tokens%heads, i/size/tokens/heads
		y[((b*tokens+t)*heads+h)*size+d] = v
	}
	return tensor.Of(y, c.batch, tokens, heads*size)
}

// draw fills a case with random sizes and options.
func drawAttention(rng *rand.Rand) *attentionCase {
	c := &attentionCase{
		batch: 1 + rng.IntN(3), kvHeads: 1 + rng.IntN(3), queries: 1 + rng.IntN(5), keys: 1 + rng.IntN(6), past: rng.IntN(4) * rng.IntN(2),
		size: 1 + rng.IntN(5), valueSize: 1 + rng.IntN(5), causal: rng.IntN(2) == 0, left: -1, right: -1, mode: rng.IntN(4), packed: rng.IntN(2) == 0,
	}
	c.heads = c.kvHeads * (1 + rng.IntN(3))
	if rng.IntN(3) == 0 {
		c.softcap = 0.5 + 2*rng.Float64()
	}
	if rng.IntN(3) == 0 {
		c.scaled, c.scale = true, 0.25*float64(rng.IntN(3))
	}
	if rng.IntN(3) == 0 {
		c.left = rng.IntN(3)
	}
	if rng.IntN(3) == 0 && !c.causal {
		c.right = rng.IntN(3)
	}
	if c.past == 0 && rng.IntN(3) == 0 {
		c.nonpad = make([]int64, c.batch)
		for b := range c.nonpad {
			c.nonpad[b] = rng.Int64N(int64(c.keys + 1))
		}
	}
	fill := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	c.q, c.k, c.v = fill(c.batch*c.heads*c.queries*c.size), fill(c.batch*c.kvHeads*c.keys*c.size), fill(c.batch*c.kvHeads*c.keys*c.valueSize)
	c.pastK, c.pastV = fill(c.batch*c.kvHeads*c.past*c.size), fill(c.batch*c.kvHeads*c.past*c.valueSize)
	if kind := rng.IntN(3); kind > 0 {
		full := []int{c.batch, c.heads, c.queries, c.total()}
		c.maskShape = append([]int{}, full[rng.IntN(3):]...)
		n := 1
		for i := range c.maskShape {
			if i < len(c.maskShape)-1 && rng.IntN(3) == 0 {
				c.maskShape[i] = 1
			}
			n *= c.maskShape[i]
		}
		if c.added = fill(n); kind == 2 {
			c.allowed = make([]bool, n)
			for i, v := range c.added {
				c.allowed[i] = v > -0.5
			}
			if rng.IntN(4) == 0 {
				clear(c.allowed) // no query sees anything
			}
		}
	}
	return c
}

// TestAttentionModel compares Attention with the specification: grouped heads, both layouts, caches, padding, masks that
// broadcast, limits, soft caps, and what the fourth output shows.
func TestAttentionModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		c := drawAttention(rng)
		c.solve()
		attrs := []string{fmt.Sprintf("qk_matmul_output_mode = %d, left_window_size = %d, right_window_size = %d", c.mode, c.left, c.right)}
		if c.causal {
			attrs = append(attrs, "is_causal = 1")
		}
		if c.packed {
			attrs = append(attrs, fmt.Sprintf("q_num_heads = %d, kv_num_heads = %d", c.heads, c.kvHeads))
		}
		if c.softcap > 0 {
			attrs = append(attrs, fmt.Sprintf("softcap = %v", c.softcap))
		}
		if c.scaled {
			attrs = append(attrs, fmt.Sprintf("scale = %.2f", c.scale))
		}
		in := make([]*tensor.Tensor, 7)
		in[0] = c.laidOut(c.q, c.heads, c.queries, c.size)
		in[1], in[2] = c.laidOut(c.k, c.kvHeads, c.keys, c.size), c.laidOut(c.v, c.kvHeads, c.keys, c.valueSize)
		switch {
		case c.allowed != nil:
			in[3] = tensor.Of(c.allowed, c.maskShape...)
		case c.maskShape != nil:
			in[3] = tensor.Of(c.added, c.maskShape...)
		}
		if c.past > 0 {
			in[4], in[5] = tensor.Of(c.pastK, c.batch, c.kvHeads, c.past, c.size), tensor.Of(c.pastV, c.batch, c.kvHeads, c.past, c.valueSize)
		}
		if c.nonpad != nil {
			in[6] = tensor.Of(c.nonpad, c.batch)
		}
		node := "Attention {" + strings.Join(attrs, ", ") + "}"
		what := fmt.Sprintf("%s of %d heads on %d, %d queries, %d+%d keys, mask %v, nonpad %v", node, c.heads, c.kvHeads, c.queries, c.past, c.keys, c.maskShape, c.nonpad)
		out := computed(t, 4, node, in...)
		want := c.laidOut(c.output, c.heads, c.queries, c.valueSize)
		closeTo(t, what, out[0].Data.([]float64), want.Data.([]float64), 1e-6)
		closeTo(t, what+": keys", out[1].Data.([]float64), c.present, 0)
		closeTo(t, what+": scores", infinite(out[3].Data.([]float64)), c.debug, 1e-6)
		alone := computed(t, 1, node, in...) // the form that computes no scores
		closeTo(t, what+", alone", alone[0].Data.([]float64), want.Data.([]float64), 1e-6)
		in[2] = single(in[2]) // values of another type, which are converted
		if c.past > 0 {
			in[5] = single(in[5])
		}
		out = computed(t, 4, node, in...)
		closeTo(t, what+", mixed", out[0].Data.([]float64), want.Data.([]float64), 1e-5)
		closeTo(t, what+": scores, mixed", infinite(out[3].Data.([]float64)), c.debug, 1e-6)
	}
}

// single returns x in float32.
func single(x *tensor.Tensor) *tensor.Tensor {
	y := make([]float32, x.Len())
	for i, v := range x.Data.([]float64) {
		y[i] = float32(v)
	}
	return tensor.Of(y, x.Shape...)
}

// infinite returns scores with -Inf for the lowest number, which excludes a key as well.
func infinite(x []float64) []float64 {
	for i, v := range x {
		if v < -1e30 {
			x[i] = math.Inf(-1)
		}
	}
	return x
}
