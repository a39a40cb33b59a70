package differ

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// nearby are results of a graph whose inner floats are not quite what they were: what
// another order of operations, or another kernel, may make of them. A result is nil
// where the evaluation failed.
type nearby struct {
	shaken [][]tensor.Value // last bits are others, at random
	tilted [][]tensor.Value // values are moved as far as they may be off, in one direction, or have not overflowed
}

// variants is how many times all values are shaken.
const variants = 24

// near evaluates m in all these ways.
func near(m *ir.Module, in []tensor.Value) nearby {
	var n nearby
	base, off := trace{}, trace{}
	evaluateWith(m, in, func(c computed, t *tensor.Tensor, _ operands) { base[c] = compare.Floats(t) })
	for seed := range uint64(variants) {
		s := newShaker(seed)
		out := evaluateWith(m, s.inputs(in), func(c computed, t *tensor.Tensor, of operands) {
			s.shake(t, scales(c.v, t, of))
			off.widen(c, base[c], compare.Floats(t))
		})
		n.shaken = append(n.shaken, out)
	}
	for k, tilt := range tilts {
		rng := rand.New(rand.NewPCG(uint64(k), 5))
		out := evaluateWith(m, in, func(c computed, t *tensor.Tensor, _ operands) { tilt.apply(t, base[c], off[c], rng) })
		n.tilted = append(n.tilted, out)
	}
	n.tilted = append(n.tilted, overflown(m, in, base)...)
	return n
}

// shapeMoves reports whether output i has another shape in one of them, as of what
// counts the elements that differ.
func (n nearby) shapeMoves(i int, want tensor.Value) bool {
	for _, out := range append(n.shaken, n.tilted...) {
		if out != nil && compare.Shape(out[i], want) != nil {
			return true
		}
	}
	return false
}

// computed is a value that a node has computed, for the turn'th time: the body of a
// loop computes several.
type computed struct {
	v    *ir.Value
	turn int
}

// trace is numbers for each element of what was computed.
type trace map[computed][]float64

// widen takes the distances between two computations of c into the trace.
func (t trace) widen(c computed, a, b []float64) {
	if len(a) != len(b) {
		return // another branch, or a size that the data say
	}
	off := t[c]
	if off == nil {
		off = make([]float64, len(a))
		t[c] = off
	}
	for i := range off {
		off[i] = max(off[i], distance(a[i], b[i]))
	}
}

// operands are the tensors that a node has read, before they were reshaped.
type operands func(v *ir.Value) *tensor.Tensor

// aliased is the value whose elements v has under another shape.
func aliased(v *ir.Value) *ir.Value {
	for v.Def != nil && op.Lookup(v.Def).Alias {
		v = v.Def.In[0]
	}
	return v
}

// evaluateWith evaluates m; change may write other elements to what nodes compute in
// floats. It returns nil if the evaluation fails.
func evaluateWith(m *ir.Module, in []tensor.Value, change func(c computed, t *tensor.Tensor, of operands)) (out []tensor.Value) {
	turns := map[*ir.Value]int{}
	latest := map[*ir.Value]*tensor.Tensor{}
	for i, v := range m.Main.Body.Params {
		latest[v], _ = in[i].(*tensor.Tensor)
	}
	of := func(v *ir.Value) *tensor.Tensor {
		v = aliased(v)
		if v.Const != nil {
			return v.Const
		}
		return latest[v]
	}
	err := guarded(func() (err error) {
		out, err = eval.Watch(m.Main, in, func(v *ir.Value, x tensor.Value) {
			t, ok := x.(*tensor.Tensor)
			if !ok || !t.DType.IsFloat() {
				return
			}
			latest[v] = t
			change(computed{v, turns[v]}, t, of)
			turns[v]++
		})
		return err
	})
	if err != nil {
		return nil
	}
	return out
}
