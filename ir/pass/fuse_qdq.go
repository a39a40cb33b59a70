package pass

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// FuseQDQ replaces products and convolutions of dequantized floats that are quantized again by products and
// convolutions of the bytes. The sums are then exact, and only the result is rounded. Functions of a single
// byte become tables. It runs before [Fold], which would convert weights to floats.
var FuseQDQ = &Pass{Name: "fuse-qdq", Run: fuseQDQ, After: []*Pass{Expand}}

func fuseQDQ(_ *Context, m *ir.Module) error {
	rules{
		":Conv":           {quantizedConv},
		":Gemm":           {quantizedProduct},
		":MatMul":         {quantizedProduct},
		":QLinearConv":    {linearConv},
		":QLinearMatMul":  {linearProduct},
		":Add":            {quantizedBias},
		":Relu":           {quantizedRelu},
		":QuantizeLinear": {requantized, quantizedMove, quantizedConcat, quantizedSum, sameBytes, tabulated},
	}.apply(m)
	return nil
}

// quantizedProduct multiplies the bytes.
func quantizedProduct(f *fuser, n *ir.Node) *ir.Value {
	if n.Is("Gemm") && (n.Int("transA") != 0 || n.Float("alpha") != 1 || n.Arg(inBias) != nil && n.Float("beta") != 1) {
		return nil
	}
	transB := n.Int("transB") != 0
	x, w := f.bytes(n.In[op.X]), f.byteWeights(n.In[inWeights])
	if x == nil || w == nil || len(n.In[op.X].Type.Shape) < 2 || len(w.shape) != 2 {
		return nil
	}
	columns := 1
	if transB {
		columns = 0
	}
	q := &ir.Node{Op: "QMatMul"}
	if transB {
		q.Attrs.Set("transB", int64(1))
	}
	bias := n.Arg(inBias)
	if bias != nil && !ir.Size(bias.Type.Shape).Is(1) && !isRow(bias, n.Out[0]) {
		return nil
	}
	return f.withBias(q, f.sums(x, w, columns), bias)
}

// quantizedConv convolves the bytes.
func quantizedConv(f *fuser, n *ir.Node) *ir.Value {
	x, w := f.bytes(n.In[op.X]), f.byteWeights(n.In[inWeights])
	if x == nil || w == nil {
		return nil
	}
	return f.withBias(f.convolution(n, x), f.sums(x, w, 0), n.Arg(inBias), slices.Repeat([]int{1}, len(w.shape)-2)...)
}

// convolution returns a QConv of x with the attributes of n.
func (f *fuser) convolution(n *ir.Node, x *byteValue) *ir.Node {
	q := &ir.Node{Op: "QConv", Attrs: slices.Clone(n.Attrs)}
	q.Attrs.Set("padding", int64(x.zero))
	return q
}

// quantizedBias adds constants to the sums.
func quantizedBias(f *fuser, n *ir.Node) *ir.Value {
	for i, v := range n.In {
		d, bias := f.sums32(v), known(n.In[1-i])
		if d == nil || d.Op != "QMatMul" || d.Has("relu") || bias == nil || !isRow(n.In[1-i], n.Out[0]) {
			continue
		}
		p := &byteSums{x: d.In[op.X], w: d.In[inWeights], add: slices.Clone(tensor.Data[int32](d.In[inSumsAdd].Const)), mult: numbers(d.In[inSumsMult])}
		if s := d.Arg(inSumsShift); s != nil {
			p.shift = tensor.Data[int32](s.Const)
		}
		if p.add32(numbersOf(bias)) {
			return f.quantized(&ir.Node{Op: d.Op, Attrs: slices.Clone(d.Attrs)}, p, tensor.Float32)
		}
	}
	return nil
}

// quantizedRelu lets the product clip negative results.
func quantizedRelu(f *fuser, n *ir.Node) *ir.Value {
	d := f.sums32(n.In[op.X])
	if d == nil {
		return nil
	}
	q := &ir.Node{Op: d.Op, Attrs: slices.Clone(d.Attrs), In: d.In}
	q.Attrs.Set("relu", int64(1))
	return f.own(q)
}

// requantized quantizes the sums.
func requantized(f *fuser, n *ir.Node) *ir.Value {
	d, y := f.sums32(n.In[op.X]), quantizerOf(n)
	if d == nil || y == nil || !(y.scale > 0) {
		return nil // a Relu of the sums would clip on the other side if the scale were negative
	}
	mult := numbers(d.In[inSumsMult])
	for j := range mult {
		mult[j] /= y.scale
	}
	q := &ir.Node{Op: d.Op, Attrs: slices.Clone(d.Attrs), In: slices.Clone(d.In)}
	q.In[inSumsMult] = f.b.Const(tensor.Of(float32s(mult), len(mult)))
	q.Attrs.Set("to", int64(n.Out[0].Type.Elem))
	q.Attrs.Set("zero", int64(y.zero))
	return f.own(q)
}

// quantizedMove moves the bytes instead of the floats.
func quantizedMove(f *fuser, n *ir.Node) *ir.Value {
	m := n.In[op.X].Def
	if m == nil || !op.Lookup(m).Picks || f.sole(n.In[op.X], m.Op) == nil {
		return nil
	}
	x := f.bytes(m.In[op.X])
	if x == nil || !(x.scale > 0) {
		return nil
	}
	in := slices.Clone(m.In)
	in[op.X] = x.v
	y := f.b.OpA(m.Op, m.Attrs, in...)
	d := m.In[op.X].Def
	return f.b.OpA("QuantizeLinear", n.Attrs, append([]*ir.Value{f.b.OpA(d.Op, d.Attrs, append([]*ir.Value{y}, d.In[1:]...)...)}, n.In[1:]...)...)
}

// quantizedConcat concatenates bytes, each quantized separately.
func quantizedConcat(f *fuser, n *ir.Node) *ir.Value {
	c := f.sole(n.In[op.X], "Concat")
	if c == nil || c.Domain != "" || len(numbersOf(known(n.In[inScale]))) != 1 || !isByte(n.Out[0].Type.Elem) {
		return nil
	}
	var in []*ir.Value
	for _, v := range c.In {
		if f.bytes(v) == nil {
			return nil
		}
		in = append(in, f.b.OpA("QuantizeLinear", n.Attrs, append([]*ir.Value{v}, n.In[1:]...)...))
	}
	return f.b.OpA("Concat", c.Attrs, in...)
}

// quantizedSum adds bytes, and rounds as before.
func quantizedSum(f *fuser, n *ir.Node) *ir.Value {
	d, y := f.sole(n.In[op.X], "Add"), quantizerOf(n)
	if d == nil || y == nil {
		return nil
	}
	a, b := f.bytes(d.In[op.A]), f.bytes(d.In[op.B])
	if a == nil || b == nil || a.v.Type.Elem != y.v.Type.Elem || b.v.Type.Elem != y.v.Type.Elem || !ir.SameShape(a.v.Type.Shape, b.v.Type.Shape) {
		return nil
	}
	attrs := op.Attrs("a_scale", a.scale, "b_scale", b.scale, "scale", y.scale, "a_zero", a.zero, "b_zero", b.zero, "zero", y.zero)
	return f.own(&ir.Node{Op: "QAdd", In: []*ir.Value{a.v, b.v}, Attrs: attrs})
}

// sameBytes returns the original bytes if a value is quantized as it was before.
func sameBytes(f *fuser, n *ir.Node) *ir.Value {
	x, y := f.bytes(n.In[op.X]), quantizerOf(n)
	if x == nil || y == nil || x.v.Type.Elem != y.v.Type.Elem || x.scale != y.scale || x.zero != y.zero {
		return nil
	}
	return x.v
}

// sums32 returns the product or convolution of bytes that defines v, if v is of floats and has no other
// reader.
func (f *fuser) sums32(v *ir.Value) *ir.Node {
	d := f.sole(v, "QMatMul", "QConv")
	if d == nil || d.Domain != op.Own || v.Type.Elem != tensor.Float32 {
		return nil
	}
	return d
}

// linearProduct converts QLinearMatMul with one constant matrix.
func linearProduct(f *fuser, n *ir.Node) *ir.Value {
	x, w := f.bytesOf(n.In[op.X], n.In[inXScale], n.In[inXZero]), weightsOf(n.In[inW], n.In[inWScale], n.In[inWZero], 1)
	if x == nil || w == nil || len(n.In[op.X].Type.Shape) < 2 || len(w.shape) != 2 {
		return nil
	}
	return f.linearSums(n, &ir.Node{Op: "QMatMul"}, f.sums(x, w, 1), x, w)
}

// linearConv converts QLinearConv with constant filters.
func linearConv(f *fuser, n *ir.Node) *ir.Value {
	x, w := f.bytesOf(n.In[op.X], n.In[inXScale], n.In[inXZero]), weightsOf(n.In[inW], n.In[inWScale], n.In[inWZero], 0)
	if x == nil || w == nil {
		return nil
	}
	p := f.sums(x, w, 0)
	if bias := n.Arg(inLinearBias); bias != nil && p != nil {
		t := known(bias)
		if t == nil {
			return nil
		}
		for j, v := range integers(t) {
			p.add[j] += int32(v)
		}
	}
	return f.linearSums(n, f.convolution(n, x), p, x, w)
}

// linearSums makes q return the sums, with factors as Requantize computes them.
func (f *fuser) linearSums(n, q *ir.Node, p *byteSums, x *byteValue, w *byteWeights) *ir.Value {
	scale, zero := numbersOf(known(n.In[inYScale])), known(n.In[inYZero])
	if p == nil || len(scale) != 1 || zero == nil || !isByte(zero.DType) {
		return nil
	}
	for j := range p.mult {
		p.mult[j] = float64(float32(x.scale) * float32(w.scaleAt(j)) / float32(scale[0]))
	}
	q.Attrs.Set("zero", int64(integers(zero)[0]))
	return f.quantized(q, p, zero.DType)
}

// withBias adds q, the node of the sums p, and a constant bias, unless that is nil. The bias has one float
// for all sums or one for each. The result has further axes of the given sizes, all 1, after the axis of the
// bias.
func (f *fuser) withBias(q *ir.Node, p *byteSums, bias *ir.Value, behind ...int) *ir.Value {
	if p == nil || p.room() <= 0 {
		return nil
	}
	x := numbersOf(known(bias))
	if bias != nil && len(x) != 1 && len(x) != len(p.add) {
		return nil
	}
	exact := bias == nil || p.add32(x)
	y := f.quantized(q, p, tensor.Float32)
	if exact || y == nil {
		return y
	}
	return f.b.Op("Add", y, f.constant(y.Name+"_bias", y, x, append([]int{len(x)}, behind...)...))
}

// quantized adds q, the node of the sums p.
func (f *fuser) quantized(q *ir.Node, p *byteSums, to tensor.DType) *ir.Value {
	for _, m := range p.mult {
		if math.IsNaN(m) || math.IsInf(m, 0) {
			return nil
		}
	}
	q.In = []*ir.Value{p.x, p.w, f.b.Const(tensor.Of(p.add, len(p.add))), f.b.Const(tensor.Of(float32s(p.mult), len(p.mult)))}
	if p.shift != nil {
		q.In = append(q.In, f.b.Const(tensor.Of(p.shift, len(p.shift))))
	}
	q.Attrs.Set("to", int64(to))
	return f.own(q)
}
