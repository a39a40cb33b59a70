package differ

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// nearby holds results of a graph with slightly changed inner floats, as another order of operations or
// another kernel may compute them. A result is nil if the evaluation failed.
type nearby struct {
	shaken     [][]tensor.Value // with random last bits
	tilted     [][]tensor.Value // with values moved by their allowed error in one direction, or without overflow
	underflown [][]tensor.Value // without underflow
}

// variants is the number of times that all values are shaken.
const variants = 24

// vicinity evaluates a graph with changed values.
type vicinity struct {
	m    *ir.Module
	in   []tensor.Value
	base trace       // its floats without changes
	off  trace       // how much shaking moves them
	all  []*ir.Value // its floats
}

// near evaluates m in all ways that change all values at once.
func near(m *ir.Module, in []tensor.Value) (*vicinity, nearby) {
	v := &vicinity{m: m, in: in, base: trace{}, off: trace{}}
	var n nearby
	evaluateWith(m, in, func(c computed, t *tensor.Tensor, _ *history) {
		v.base[c] = compare.Floats(t)
		if c.turn == 0 {
			v.all = append(v.all, c.v)
		}
	})
	for seed := range uint64(variants) {
		s := newShaker(seed)
		out := evaluateWith(m, s.inputs(in), func(c computed, t *tensor.Tensor, of *history) {
			s.shake(t, scales(c.v, t, of))
			v.off.widen(c, v.base[c], compare.Floats(t))
		})
		n.shaken = append(n.shaken, out)
	}
	n.tilted = v.tilt(nil)
	n.tilted = append(n.tilted, overflown(m, in, v.base)...)
	n.tilted = append(n.tilted, tied(m, in, v.off)...)
	n.underflown = [][]tensor.Value{withoutUnderflow(m, in)}
	return v, n
}

// closer adds to n what tilting each value alone makes of m: the error of a value with tilted operands is larger than
// its own rounding.
//
// NB: quadratic in the number of values. Few models get here.
func (v *vicinity) closer(n nearby) nearby {
	for _, only := range v.all {
		n.tilted = append(n.tilted, v.tilt(only)...)
	}
	return n
}

// tilt evaluates the graph once for each tilt, with one value tilted, or all if only is nil.
func (v *vicinity) tilt(only *ir.Value) (results [][]tensor.Value) {
	for k, tilt := range tilts {
		rng := rand.New(rand.NewPCG(uint64(k), 5))
		results = append(results, evaluateWith(v.m, v.in, func(c computed, t *tensor.Tensor, _ *history) {
			if only == nil || c.v == only {
				tilt.apply(t, v.base[c], v.off[c], rng)
			}
		}))
	}
	return results
}

// shapeMoves reports whether output i has a different shape in one of them, for example if it depends on the
// number of elements that differ.
func (n nearby) shapeMoves(i int, want tensor.Value) bool {
	for _, out := range append(n.shaken, n.tilted...) {
		if out != nil && compare.Shape(out[i], want) != nil {
			return true
		}
	}
	return false
}

// computed identifies the turn-th result of a node for a value: the body of a loop computes several.
type computed struct {
	v    *ir.Value
	turn int
}

// trace has a number for each element of each computation.
type trace map[computed][]float64

// widen includes the distances between two computations of c in the trace.
func (t trace) widen(c computed, a, b []float64) {
	if len(a) != len(b) {
		return // another branch, or a size that depends on data
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

// history is what nodes have computed so far.
type history struct {
	tensors map[*ir.Value]*tensor.Tensor
	turns   map[*ir.Value]int // the number of computations of each value
}

// tensor returns what a node reads as v, before it was reshaped, or nil if it is not a tensor.
func (h *history) tensor(v *ir.Value) *tensor.Tensor {
	v = aliased(v)
	if v.Const != nil {
		return v.Const
	}
	return h.tensors[v]
}

// last returns the latest computation of v.
func (h *history) last(v *ir.Value) computed {
	v = aliased(v)
	return computed{v, h.turns[v] - 1}
}

// aliased returns the value of which v is a reshaped view.
func aliased(v *ir.Value) *ir.Value {
	for v.Def != nil && op.Lookup(v.Def).Alias {
		v = v.Def.In[0]
	}
	return v
}

// evaluateWith evaluates m. Change may modify the float results of nodes. It returns nil if the evaluation
// fails.
func evaluateWith(m *ir.Module, in []tensor.Value, change func(c computed, t *tensor.Tensor, of *history)) []tensor.Value {
	return watch(m, in, func(v *ir.Value, t *tensor.Tensor, of *history) {
		if t.DType.IsFloat() {
			change(of.last(v), t, of)
		}
	})
}

// watch evaluates m and calls seen with each tensor, which seen may modify. It returns nil if the evaluation
// fails.
func watch(m *ir.Module, in []tensor.Value, seen func(v *ir.Value, t *tensor.Tensor, of *history)) (out []tensor.Value) {
	of := &history{map[*ir.Value]*tensor.Tensor{}, map[*ir.Value]int{}}
	for i, v := range m.Main.Body.Params {
		of.tensors[v], _ = in[i].(*tensor.Tensor)
	}
	err := guarded(func() (err error) {
		out, err = eval.Watch(m.Main, in, func(v *ir.Value, x tensor.Value) {
			t, ok := x.(*tensor.Tensor)
			if !ok {
				return
			}
			of.tensors[v] = t
			of.turns[v]++
			seen(v, t, of)
		})
		return err
	})
	if err != nil {
		return nil
	}
	return out
}
