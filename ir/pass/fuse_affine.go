package pass

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// affine is x·scale + shift, channel by channel.
type affine struct{ scale, shift []float64 }

// affineWeights computes new weights and a new bias if constants follow a convolution or a product: a batch
// normalization with constant moments, or one number for each channel.
func affineWeights(f *fuser, n *ir.Node) *ir.Value {
	for i, v := range n.In[:min(2, len(n.In))] {
		if i == 1 && !n.Is("Mul") && !n.Is("Add") {
			break
		}
		d := f.sole(v, "Conv", "ConvTranspose", "MatMul", "Gemm", "FusedMatMul")
		if d == nil || !isFloat(v) {
			continue
		}
		axis := 1
		if p := f.product(d); p != nil {
			axis = len(v.Type.Shape) - 1
		}
		a, ok := affineOf(n, i, axis)
		if !ok {
			continue
		}
		if d.Is("Conv") || d.Is("ConvTranspose") {
			return f.affineConv(d, a)
		}
		return f.affineProduct(d, n.In[len(n.In)-1-i], a)
	}
	return nil
}

// affineOf returns the function that n applies to its input i along an axis. It is not ok if that is not
// constant.
func affineOf(n *ir.Node, i, axis int) (affine, bool) {
	shape := n.In[i].Type.Shape
	if axis >= len(shape) {
		return affine{}, false
	}
	size, ok := shape[axis].Const()
	if !ok {
		return affine{}, false
	}
	a := affine{slices.Repeat([]float64{1}, size), make([]float64, size)}
	if n.Is("BatchNormalization") {
		return a, axis == 1 && batchMoments(n, a)
	}
	c := perChannel(n.In[1-i], shape, axis, size)
	if c == nil {
		return a, false
	}
	for k, x := range c {
		switch n.Op {
		case "Mul":
			a.scale[k] = x
		case "Div":
			a.scale[k] = 1 / x
		case "Add":
			a.shift[k] = x
		case "Sub":
			a.shift[k] = -x
		}
	}
	return a, a.finite()
}

func (a affine) finite() bool { return finite(a.scale) && finite(a.shift) }

// finite reports whether a float32 holds all elements of x.
func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.Abs(v) > math.MaxFloat32 })
}

// batchMoments reads a batch normalization with constant operands.
func batchMoments(n *ir.Node, a affine) bool {
	var c [inVariance + 1][]float64
	for _, i := range []int{inBatchScale, inBatchBias, inMean, inVariance} {
		if c[i] = numbers(n.In[i]); c[i] == nil || len(c[i]) != len(a.scale) {
			return false
		}
	}
	eps := n.Float("epsilon")
	for k := range a.scale {
		a.scale[k] = c[inBatchScale][k] / math.Sqrt(c[inVariance][k]+eps)
		a.shift[k] = c[inBatchBias][k] - c[inMean][k]*a.scale[k]
	}
	return n.Int("training_mode") == 0 && a.finite()
}

// perChannel returns the content of a constant that has one element for all channels, or one for each of the
// size channels along an axis of the given shape.
func perChannel(v *ir.Value, shape []ir.Dim, axis, size int) []float64 {
	c := numbers(v)
	if c == nil || len(v.Type.Shape) > len(shape) {
		return nil
	}
	if len(c) == 1 {
		return slices.Repeat(c, size)
	}
	at := axis - (len(shape) - len(v.Type.Shape))
	if len(c) != size || at < 0 || !v.Type.Shape[at].Is(size) {
		return nil
	}
	return c
}

// bias returns the bias after a, for the bias b before it; nil means zeros.
func (a affine) bias(b []float64) []float64 {
	out := slices.Clone(a.shift)
	for k, x := range b {
		out[k] += x * a.scale[k]
	}
	return out
}

// keeps reports whether all scales are 1.
func (a affine) keeps() bool {
	return !slices.ContainsFunc(a.scale, func(x float64) bool { return x != 1 })
}

// overflows reports whether weights have become too large for a float32. Small ones may become 0: what they add to a sum
// is as small.
func overflows(before, after []float64) bool {
	for i, x := range after {
		if math.Abs(x) > math.MaxFloat32 && math.Abs(before[i]) <= math.MaxFloat32 {
			return true
		}
	}
	return false
}

// affineConv returns the convolution d with a multiplied into its filters.
func (f *fuser) affineConv(d *ir.Node, a affine) *ir.Value {
	w, b := d.In[inWeights], d.Arg(inBias)
	old := numbers(b)
	if b != nil && old == nil || !hasNumbers(w) && !a.keeps() {
		return nil
	}
	if !a.keeps() {
		shape, groups := w.Const.Shape, d.Int("group")
		scaled := slices.Clone(numbers(w))
		filter := func(i int) int { return i }
		run := 1 // number of consecutive elements of one filter
		for _, k := range shape[2:] {
			run *= k
		}
		if d.Is("Conv") {
			run *= shape[1]
		} else { // [C, M/group, …]
			filter = func(i int) int { return i/shape[1]/(shape[0]/groups)*shape[1] + i%shape[1] }
		}
		for i := range scaled {
			scaled[i] *= a.scale[filter(i/run)]
		}
		if overflows(numbers(w), scaled) {
			return nil
		}
		w = f.weights(w, scaled)
	}
	if b == nil {
		b = f.biasOf(d.In[inWeights], a.shift)
	} else {
		b = f.weights(b, a.bias(old))
	}
	return f.b.OpA(d.Op, d.Attrs, d.In[op.X], w, b)
}

// affineProduct returns the product d with a multiplied into its matrix. If a only adds c, a vector, then c
// becomes the bias.
func (f *fuser) affineProduct(d *ir.Node, c *ir.Value, a affine) *ir.Value {
	p := f.product(d)
	if p == nil || p.act != "" || p.residual != nil || p.bias != nil && !hasNumbers(p.bias) {
		return nil
	}
	if !a.keeps() {
		b := slices.Clone(numbers(p.b))
		if b == nil {
			return nil
		}
		cols := p.b.Const.Shape[1]
		for i := range b {
			if k := i % cols; p.transB {
				b[i] *= a.scale[i/cols]
			} else {
				b[i] *= a.scale[k]
			}
		}
		if overflows(numbers(p.b), b) {
			return nil
		}
		p.b = f.weights(p.b, b)
	}
	bias := a.bias(numbers(p.bias))
	switch {
	case !slices.ContainsFunc(bias, func(x float64) bool { return x != 0 }):
		p.bias = nil
	case p.bias != nil:
		p.bias = f.weights(p.bias, bias)
	case isRow(c, d.Out[0]) && slices.Equal(numbers(c), bias):
		p.bias = c
	default:
		p.bias = f.biasOf(d.In[inWeights], bias)
	}
	return f.linear(p)
}
