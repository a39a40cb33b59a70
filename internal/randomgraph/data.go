package randomgraph

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Data is the kind of numbers in the inputs of a model.
type Data uint8

// The kinds of data.
const (
	moderate Data = iota // multiples of 1/4 up to 2: sums of their products are exact
	smooth               // any number between -2 and 2
	special              // includes NaN, infinities, -0, large and tiny numbers
)

// Finite reports whether all numbers are finite.
func (d Data) Finite() bool { return d != special }

func (d *drawer) data() Data {
	switch k := d.rng.IntN(20); {
	case k < 11:
		return moderate
	case k < 19:
		return smooth
	}
	return special
}

// Run maps symbols to their sizes in one run of a model.
type Run map[string]int

// runs draws sizes that grow and shrink.
func (d *drawer) runs() []Run {
	sizes := []int{3, 1, 7, 2, largest}
	if d.chance(3) {
		sizes = []int{2, 0, 5, 1}
	}
	symbols := map[string]bool{}
	for _, v := range d.m.Main.Body.Params {
		for _, s := range v.Type.Shape {
			s.Syms(func(s string) { symbols[s] = true })
		}
	}
	if len(symbols) == 0 {
		return []Run{{}, {}}
	}
	var out []Run
	for _, n := range sizes {
		m := n
		if d.chance(2) {
			m = one(d, 1, 2, 5)
		}
		out = append(out, Run{"n": n, "m": m})
	}
	return out
}

// Inputs returns the inputs of run i.
func (m *Model) Inputs(i int) []tensor.Value {
	return Inputs(m.Module, m.Runs[i], m.Data, m.Seed+uint64(i)<<40)
}

// Inputs draws inputs of a module with the given sizes for its symbols.
func Inputs(m *ir.Module, sizes Run, data Data, seed uint64) []tensor.Value {
	var out []tensor.Value
	for _, v := range m.Main.Body.Params {
		shape := make([]int, len(v.Type.Shape))
		for k, s := range v.Type.Shape {
			shape[k], _ = s.Eval(func(s string) (int, bool) { return sizes[s], true })
		}
		h := fnv.New64a()
		h.Write([]byte(v.Name)) // an input does not change when others are removed
		t := tensor.New(v.Type.Elem, shape...)
		fill(t, rand.New(rand.NewPCG(seed, h.Sum64())), data)
		out = append(out, t)
	}
	return out
}

// fill draws the elements of t.
func fill(t *tensor.Tensor, rng *rand.Rand, data Data) {
	switch d := t.Data.(type) {
	case []bool:
		for i := range d {
			d[i] = rng.IntN(2) == 0
		}
		return
	case []uint8:
		for i := range d {
			d[i] = uint8(rng.IntN(256))
		}
		return
	case []int8:
		for i := range d {
			d[i] = int8(rng.IntN(256))
		}
		return
	}
	for i := range t.Len() {
		x := number(rng, data)
		switch {
		case t.DType.IsFloat():
		case t.DType == tensor.Uint16 || t.DType == tensor.Uint32 || t.DType == tensor.Uint64:
			x = float64(rng.IntN(9))
		default:
			x = float64(rng.IntN(13) - 6)
		}
		t.SetItem(i, tensor.FromFloat(t.DType, x))
	}
}

func number(rng *rand.Rand, data Data) float64 {
	switch {
	case data == special && rng.IntN(8) == 0:
		all := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1e15, -1e15, 1e-40, 65504, 1e-8}
		return all[rng.IntN(len(all))]
	case data == moderate:
		return float64(rng.IntN(17)-8) / 4
	}
	return float64(rng.Float32()*4 - 2)
}
