package randomgraph

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// largest is the largest size of a symbol.
const largest = 9

// maxInputs is the maximum number of inputs of a model.
const maxInputs = 5

// dtype returns an element type, mostly float32.
func (d *drawer) dtype() tensor.DType {
	if d.rng.Float64() < d.main {
		return tensor.Float32
	}
	return one(d, tensor.Float64, tensor.Float16, tensor.BFloat16, tensor.Int64, tensor.Int32, tensor.Int8, tensor.Uint8, tensor.Bool, tensor.Int16, tensor.Uint32)
}

// size returns the size of an axis.
func (d *drawer) size() ir.Dim {
	switch k := d.rng.IntN(16); {
	case k < 4 && !d.static:
		return ir.Sym("n")
	case k == 4 && !d.static:
		return ir.Sym("m")
	case k == 5:
		return ir.C(1)
	case k == 6 && d.chance(4):
		return ir.C(0)
	case k == 7:
		return ir.C(one(d, 16, 17, 33))
	}
	return ir.C(2 + d.rng.IntN(7))
}

// shape returns a shape of up to four axes.
func (d *drawer) shape() []ir.Dim { return d.shapeOf(one(d, 1, 2, 2, 2, 3, 3, 4, 4)) }

func (d *drawer) shapeOf(rank int) []ir.Dim {
	out := make([]ir.Dim, rank)
	for i := range out {
		out[i] = d.size()
	}
	return out
}

// input adds an input of the model, and panics with a misfit if there are enough of them. In a region it is a
// value of the surrounding graph.
func (d *drawer) input(t tensor.DType, shape []ir.Dim) *ir.Value {
	body := d.m.Main.Body
	v := &ir.Value{Name: fmt.Sprint("x", len(body.Params)), Type: ir.TensorOf(t, shape...)}
	if len(body.Params) == maxInputs || tooLarge(v) {
		panic(misfit{})
	}
	body.Params = append(body.Params, v)
	d.vals = append(d.vals, v)
	return v
}

// sized returns an input of the given rank.
func (d *drawer) sized(t tensor.DType, rank int) *ir.Value { return d.input(t, d.shapeOf(rank)) }

// sizes returns the sizes of v, -1 for symbols.
func sizes(v *ir.Value) []int {
	out := make([]int, len(v.Type.Shape))
	for i, s := range v.Type.Shape {
		out[i] = -1
		if n, ok := s.Const(); ok {
			out[i] = n
		}
	}
	return out
}

// need returns a size that must be known, and not 0.
func need(n int) int {
	if n <= 0 {
		panic(misfit{})
	}
	return n
}

// constant returns a constant of random elements.
func (d *drawer) constant(t tensor.DType, shape ...int) *ir.Value {
	c := tensor.New(t, shape...)
	if c.Len() > maxElements {
		panic(misfit{})
	}
	fill(c, d.rng, moderate)
	return ir.NewConst(d.m.FreshName("c"), c)
}

// positive returns a constant of random elements above zero.
func (d *drawer) positive(shape ...int) *ir.Value {
	v := d.constant(tensor.Float32, shape...)
	for i, x := range tensor.Data[float32](v.Const) {
		tensor.Data[float32](v.Const)[i] = float32(math.Abs(float64(x))) + 0.5
	}
	return v
}

// scalar returns a constant of rank 0, or of one element.
func (d *drawer) scalar(t tensor.DType, x float64) *ir.Value {
	c := tensor.FromFloat(t, x)
	if d.chance(3) {
		c.Shape = []int{1}
	}
	return ir.NewConst(d.m.FreshName("c"), c)
}

// ints returns a constant vector of int64.
func (d *drawer) ints(v ...int) *ir.Value {
	t := tensor.New(tensor.Int64, len(v))
	for i, x := range v {
		tensor.Data[int64](t)[i] = int64(x)
	}
	return ir.NewConst(d.m.FreshName("i"), t)
}
