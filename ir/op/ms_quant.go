package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

var (
	msQuantize   = microsoft("QuantizeLinear", Arity{2, 3}, One, renamed("QuantizeLinear"))
	msDequantize = microsoft("DequantizeLinear", Arity{2, 3}, One, renamed("DequantizeLinear"))

	msQLinearAdd       = microsoft("QLinearAdd", Arity{7, 8}, One, quantizedBinary("Add"))
	msQLinearMul       = microsoft("QLinearMul", Arity{7, 8}, One, quantizedBinary("Mul"))
	msQLinearSigmoid   = microsoft("QLinearSigmoid", Arity{4, 5}, One, quantizedUnary("Sigmoid"))
	msQLinearLeakyRelu = microsoft("QLinearLeakyRelu", Arity{4, 5}, One, quantizedUnary("LeakyRelu", "alpha"))
	msQLinearSoftmax   = microsoft("QLinearSoftmax", Arity{4, 5}, One, quantizedUnary("Softmax", "axis"))
	msQLinearGlobal    = microsoft("QLinearGlobalAveragePool", Arity{4, 5}, One, qLinearPool("GlobalAveragePool"))
	msQLinearPool      = microsoft("QLinearAveragePool", Arity{4, 5}, One,
		qLinearPool("AveragePool", "auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"))
	msQLinearConcat = microsoft("QLinearConcat", Arity{5, Any}, One, qLinearConcat)
	msQLinearWhere  = microsoft("QLinearWhere", Arity{9, 9}, One, one(qLinearWhere))
	msQGemm         = microsoft("QGemm", Arity{6, 9}, One, one(qGemm))

	msDynamicMatMul = microsoft("DynamicQuantizeMatMul", Arity{3, 5}, One, one(dynamicMatMul))
	msMatMulInteger = microsoft("MatMulIntegerToFloat", Arity{4, 7}, One, one(matMulIntegerToFloat))
	msDynamicLSTM   = microsoft("DynamicQuantizeLSTM", Arity{3, 12}, Arity{0, 3}, dynamicLSTM)
	msMatMulNBits   = microsoft("MatMulNBits", Arity{3, 6}, One, matMulNBits)
)

// renamed is an operator that ONNX has, too.
func renamed(name string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return one(func(b *ir.Builder, n *ir.Node) *ir.Value { return b.OpA(name, n.Attrs, n.In...) })
}

// real is the numbers that input i stands for, whose scale and zero point follow
// it.
func (q qnode) real(i int) *ir.Value {
	return q.b.Op("DequantizeLinear", q.n.In[i], q.n.In[i+1], q.n.Arg(i+2))
}

// stored is y by the scale at input i and the zero point that follows it.
func (q qnode) stored(y *ir.Value, i int) *ir.Value {
	return q.b.Op("QuantizeLinear", y, q.n.In[i], q.n.Arg(i+1))
}

// qnode is a node whose operands are quantized.
type qnode struct {
	b *ir.Builder
	n *ir.Node
}

func quantizedBinary(op string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return one(func(b *ir.Builder, n *ir.Node) *ir.Value {
		q := qnode{b, n}
		return q.stored(b.Op(op, q.real(0), q.real(3)), 6)
	})
}

func quantizedUnary(op string, attrs ...string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return one(func(b *ir.Builder, n *ir.Node) *ir.Value {
		q := qnode{b, n}
		return q.stored(b.OpA(op, given(n, attrs...), q.real(0)), 3)
	})
}

func qLinearPool(op string, attrs ...string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
		q := qnode{b, n}
		x := q.real(0)
		last := n.Int("channels_last", 0) != 0
		if err := needRank(n, 0, 4); last && err != nil {
			return nil, err
		}
		if last {
			x = b.OpA("Transpose", attr("perm", []int{0, 3, 1, 2}), x)
		}
		y := b.OpA(op, given(n, attrs...), x)
		if last {
			y = b.OpA("Transpose", attr("perm", []int{0, 2, 3, 1}), y)
		}
		return []*ir.Value{q.stored(y, 3)}, nil
	}
}

// qLinearConcat has the scale and the zero point of the result first.
func qLinearConcat(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if len(n.In)%3 != 2 {
		return nil, fmt.Errorf("has %d inputs, want 2 and three for each part", len(n.In))
	}
	q := qnode{b, n}
	var parts []*ir.Value
	for i := 2; i < len(n.In); i += 3 {
		parts = append(parts, q.real(i))
	}
	return []*ir.Value{q.stored(b.OpA("Concat", given(n, "axis"), parts...), 0)}, nil
}

func qLinearWhere(b *ir.Builder, n *ir.Node) *ir.Value {
	q := qnode{b, n}
	return q.stored(b.Op("Where", n.In[0], q.real(1), q.real(4)), 7)
}

// qGemm is α·A·B + C, where C counts in steps of α·scaleA·scaleB.
func qGemm(b *ir.Builder, n *ir.Node) *ir.Value {
	q := qnode{b, n}
	alpha := n.Float("alpha", 1)
	axis := 1
	if n.Int("transB", 0) != 0 {
		axis = 0
	}
	w := b.OpA("DequantizeLinear", attr("axis", axis), n.In[3], n.In[4], n.Arg(5))
	bias := n.Arg(6)
	if bias != nil {
		step := b.Op("Mul", n.In[1], n.In[4])
		if alpha != 1 {
			step = b.Op("Mul", step, scalarLike(b, step, alpha))
		}
		bias = b.Op("Mul", Cast(b, bias, step.Type.Elem), step)
	}
	y := b.OpA("Gemm", given(n, "alpha", "transA", "transB"), q.real(0), w, bias)
	if n.Arg(7) == nil {
		return y
	}
	return q.stored(y, 7)
}

// dynamicMatMul quantizes its first operand by the range that it has.
func dynamicMatMul(b *ir.Builder, n *ir.Node) *ir.Value {
	x := b.OpN("DynamicQuantizeLinear", 3, nil, n.In[0])
	sums := b.Op("MatMulInteger", x[0], n.In[1], x[2], n.Arg(3))
	return scaledSums(b, sums, x[1], n.In[2], n.Arg(4))
}

func matMulIntegerToFloat(b *ir.Builder, n *ir.Node) *ir.Value {
	sums := b.Op("MatMulInteger", n.In[0], n.In[1], n.Arg(4), n.Arg(5))
	return scaledSums(b, sums, n.In[2], n.In[3], n.Arg(6))
}

func scaledSums(b *ir.Builder, sums, scaleA, scaleB, bias *ir.Value) *ir.Value {
	scale := b.Op("Mul", scaleA, scaleB)
	return plus(b, b.Op("Mul", Cast(b, sums, scale.Type.Elem), scale), bias)
}

// dynamicLSTM multiplies bytes if its weights are constants, else floats that the weights stand for, which is more exact.
func dynamicLSTM(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	for _, i := range []int{1, 2} {
		if err := needRank(n, i, 3); err != nil {
			return nil, err
		}
	}
	for _, i := range []int{8, 9, 10, 11} {
		if n.Arg(i) == nil {
			return nil, fmt.Errorf("input %d is missing", i)
		}
		if err := needRank(n, i, 1, 2); err != nil {
			return nil, err
		}
	}
	attrs := given(n, "activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "input_forget")
	w, ok := readByteGates(n, 1, 8)
	r, ok2 := readByteGates(n, 2, 10)
	if ok && ok2 && n.In[0].Type.Elem == tensor.Float32 {
		in := []*ir.Value{n.In[0], b.Const(w.weights), b.Const(r.weights), n.Arg(3), n.Arg(4), n.Arg(5), n.Arg(6), n.Arg(7)}
		for _, g := range []*byteGates{w, r} {
			in = append(in, b.Const(g.scales), b.Const(g.sums), b.Const(g.shifts))
		}
		return ownN(b, DynamicLSTM.Name, 3, attrs, in...), nil
	}
	in := []*ir.Value{n.In[0], gateWeights(b, n, 1, 8), gateWeights(b, n, 2, 10), n.Arg(3), n.Arg(4), n.Arg(5), n.Arg(6), n.Arg(7)}
	return b.OpN("LSTM", 3, attrs, in...), nil
}

// gateWeights are weights [directions, inputs, gates] as floats and turned; their
// scale and zero point are of a direction, or of a gate.
func gateWeights(b *ir.Builder, n *ir.Node, i, scale int) *ir.Value {
	each := func(v *ir.Value) *ir.Value { // of a direction's gates
		if len(Shape(v)) == 1 {
			return b.Op("Unsqueeze", v, b.Ints(1, 2))
		}
		return b.Op("Unsqueeze", v, b.Ints(1))
	}
	s := each(n.In[scale])
	w := Cast(b, n.In[i], s.Type.Elem)
	if zero := n.Arg(scale + 1); zero != nil {
		w = b.Op("Sub", w, Cast(b, each(zero), s.Type.Elem))
	}
	return turn(b, b.Op("Mul", w, s))
}
