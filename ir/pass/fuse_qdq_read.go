package pass

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// byteValue is a tensor of bytes that represents the floats (v-zero)·scale.
type byteValue struct {
	v     *ir.Value
	scale float64
	zero  int
}

// byteWeights is a constant of integers that represents the floats (w-shift)·scale. It has one scale, or one
// for each index of the first or last axis.
type byteWeights struct {
	w      []int8
	shift  []int32 // one, or one for each index of the axis; nil is zero
	shape  []int
	from   *ir.Value // a value with exactly these integers, or nil
	scales []float64
	axis   int // of the scales and shifts, if there are several
}

func (w *byteWeights) scaleAt(i int) float64 { return w.scales[i%len(w.scales)] }

// signedShift is the difference between a uint8 and the int8 that stands for it.
const signedShift = -math.MinInt8

// byteSums describes the sums of products of x with constants, as operands of a node.
type byteSums struct {
	x, w  *ir.Value
	add   []int32
	mult  []float64
	shift []int32 // nil is zero
}

// bytes returns the bytes that v is dequantized from.
func (f *fuser) bytes(v *ir.Value) *byteValue {
	d := f.def(v, "DequantizeLinear")
	if d == nil || v.Type.Elem != tensor.Float32 {
		return nil
	}
	return f.bytesOf(d.In[op.X], d.In[inScale], d.Arg(inZero))
}

// quantizerOf returns the result of a QuantizeLinear to bytes by a constant scale and zero point, which must be scalars.
func quantizerOf(n *ir.Node) *byteValue {
	if n.Has("precision") {
		return nil
	}
	return scaled(n.Out[0], n.In[inScale], n.Arg(inZero))
}

// bytesOf returns v with its constant scale and zero point, which must be scalars.
func (f *fuser) bytesOf(v, scale, zero *ir.Value) *byteValue {
	if v.IsConst() {
		return nil
	}
	return scaled(v, scale, zero)
}

// scaled returns v if it has bytes, and a scale and a zero point, unless that is nil, that are constant scalars.
func scaled(v, scale, zero *ir.Value) *byteValue {
	s := numbersOf(known(scale))
	if len(s) != 1 || !isByte(v.Type.Elem) {
		return nil
	}
	x := &byteValue{v: v, scale: s[0]}
	if zero != nil {
		z := known(zero)
		if z == nil || z.Len() != 1 {
			return nil
		}
		x.zero = integers(z)[0]
	}
	return x
}

// byteWeights returns the bytes that the constant v is dequantized from.
func (f *fuser) byteWeights(v *ir.Value) *byteWeights {
	d := f.def(v, "DequantizeLinear")
	if d == nil || d.Int("block_size") != 0 || v.Type.Elem != tensor.Float32 {
		return nil
	}
	axis := d.Int("axis")
	if axis < 0 {
		axis += len(v.Type.Shape)
	}
	return weightsOf(d.In[op.X], d.In[inScale], d.Arg(inZero), axis)
}

// weightsOf returns the constant v minus its zero points, or with these as shifts if the difference does not
// fit into int8.
func weightsOf(v, scale, zero *ir.Value, axis int) *byteWeights {
	t, z := known(v), known(zero)
	w := &byteWeights{scales: numbersOf(known(scale)), axis: axis, from: v}
	if t == nil || !isByte(t.DType) || len(w.scales) == 0 || zero != nil && z == nil {
		return nil
	}
	w.shape = t.Shape
	if len(w.scales) > 1 && (axis >= len(t.Shape) || len(w.scales) != t.Shape[axis]) {
		return nil
	}
	zeros := []int{0}
	if z != nil {
		zeros = integers(z)
	}
	if len(zeros) != 1 && len(zeros) != len(w.scales) {
		return nil
	}
	if t.DType != tensor.Int8 || !v.IsConst() || slices.ContainsFunc(zeros, func(z int) bool { return z != 0 }) {
		w.from = nil
	}
	inner := 1
	if axis < len(t.Shape) {
		for _, d := range t.Shape[axis+1:] {
			inner *= d
		}
	}
	if !w.subtract(integers(t), zeros, inner) {
		w.move(integers(t), zeros, t.DType)
	}
	return w
}

// subtract subtracts the zero points. It is not ok if a result does not fit into int8.
func (w *byteWeights) subtract(v, zeros []int, inner int) bool {
	w.w = make([]int8, len(v))
	for i, x := range v {
		x -= zeros[i/inner%len(zeros)]
		if x < math.MinInt8 || x > math.MaxInt8 {
			return false
		}
		w.w[i] = int8(x)
	}
	return true
}

// move shifts weights and zero points into the range of int8.
func (w *byteWeights) move(v, zeros []int, from tensor.DType) {
	by := 0
	if from == tensor.Uint8 {
		by = signedShift
	}
	for i, x := range v {
		w.w[i] = int8(x - by)
	}
	for _, z := range zeros {
		w.shift = append(w.shift, int32(z-by))
	}
}

// sums describes the sums of products of x with w. The results are along the given axis of w, which is the
// first or the last.
func (f *fuser) sums(x *byteValue, w *byteWeights, axis int) *byteSums {
	if len(w.scales) > 1 && w.axis != axis {
		return nil // there must be one shift for each sum, or one for all
	}
	n := w.shape[axis]
	p := &byteSums{x: x.v, w: w.from, add: make([]int32, n), mult: make([]float64, n)}
	if p.w == nil {
		p.w = f.b.Const(tensor.Of(w.w, w.shape...))
	}
	zero := int32(x.zero)
	if x.v.Type.Elem == tensor.Int8 {
		zero += signedShift // the kernel adds it
	}
	for i, v := range w.w {
		j := i % n
		if axis == 0 {
			j = i / (len(w.w) / n)
		}
		p.add[j] -= zero * int32(v)
	}
	for j := range p.mult {
		p.mult[j] = x.scale * w.scaleAt(j)
	}
	if w.shift != nil {
		p.shift = make([]int32, n)
		for j := range p.shift {
			p.shift[j] = w.shift[j%len(w.shift)]
			p.add[j] += zero * p.shift[j] * int32(len(w.w)/n)
		}
	}
	return p
}

// add32 adds one float to all sums, or one to each. It is not ok, and changes nothing, if a float is not a
// multiple of its sum's scale or is too large.
func (p *byteSums) add32(x []float64) bool {
	if len(x) != 1 && len(x) != len(p.add) {
		return false
	}
	sums, limit := make([]int32, len(p.add)), float64(p.room()/2)
	for j, m := range p.mult {
		v := x[j%len(x)]
		q := math.RoundToEven(v / m)
		if !(math.Abs(q) < limit) || math.Abs(q*m-v) > roundingError*math.Abs(v) {
			return false
		}
		sums[j] = p.add[j] + int32(q)
	}
	p.add = sums
	return true
}

// room returns the distance of the sums from an overflow of int32.
func (p *byteSums) room() int {
	depth := p.w.Const.Len() / max(len(p.add), 1)
	return math.MaxInt32 - depth*math.MaxUint8*math.MaxUint8
}

// roundingError is the largest relative difference between a bias and a multiple of its scale: an exporter
// has rounded both to float32.
const roundingError = 1.0 / (1 << 22)

// known returns the content of v if it is constant, or computed from constants by operators that quantize and
// move elements; otherwise nil.
func known(v *ir.Value) *tensor.Tensor {
	if v == nil || v.Const != nil || v.Def == nil {
		if v == nil {
			return nil
		}
		return v.Const
	}
	d := *v.Def
	if !slices.Contains([]string{"DequantizeLinear", "Identity", "QuantizeLinear", "Reshape", "Transpose", "Unsqueeze"}, d.Op) || d.Domain != "" {
		return nil
	}
	d.In = slices.Clone(d.In)
	for i, in := range d.In {
		if in == nil {
			continue
		}
		t := known(in)
		if t == nil {
			return nil
		}
		d.In[i] = ir.NewConst(in.Name, t)
	}
	out, err := eval.Node(&d)
	if err != nil {
		return nil
	}
	t, _ := out[0].(*tensor.Tensor)
	return t
}

// numbersOf returns the content of a tensor of floats, or nil.
func numbersOf(t *tensor.Tensor) []float64 {
	if t == nil {
		return nil
	}
	return slices.Clone(numbers(ir.NewConst("", t)))
}

// integers returns the content of a tensor of bytes or of int32, or nil for other types.
func integers(t *tensor.Tensor) []int {
	out := make([]int, t.Len())
	switch d := t.Data.(type) {
	case []int8:
		for i, v := range d {
			out[i] = int(v)
		}
	case []uint8:
		for i, v := range d {
			out[i] = int(v)
		}
	case []int32:
		for i, v := range d {
			out[i] = int(v)
		}
	default:
		return nil
	}
	return out
}

// float32s converts the factors of sums to the type in which kernels read them.
func float32s(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// isByte reports whether a type is int8 or uint8.
func isByte(t tensor.DType) bool { return t == tensor.Int8 || t == tensor.Uint8 }
