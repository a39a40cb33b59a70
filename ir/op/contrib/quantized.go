package contrib

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [MatMulNBits].
const (
	matMulNBitsA = iota
	matMulNBitsB
	matMulNBitsScales
	matMulNBitsZeroPoints
	matMulNBitsGIdx
	matMulNBitsBias
)

// The inputs of [QGemm].
const (
	qGemmA = iota
	qGemmAScale
	qGemmAZeroPoint
	qGemmB
	qGemmBScale
	qGemmBZeroPoint
	qGemmC
	qGemmYScale
	qGemmYZeroPoint
)

// The inputs of [DynamicQuantizeLSTM].
const (
	quantLSTMX = iota
	quantLSTMW
	quantLSTMR
	quantLSTMB
	quantLSTMSequenceLens
	quantLSTMInitialH
	quantLSTMInitialC
	quantLSTMP
	quantLSTMWScale
	quantLSTMWZeroPoint
	quantLSTMRScale
	quantLSTMRZeroPoint
)

// The inputs of [DynamicQuantizeMatMul].
const (
	quantMatMulA = iota
	quantMatMulB
	quantMatMulBScale
	quantMatMulBZeroPoint
	quantMatMulBias
)

// The inputs of [MatMulIntegerToFloat].
const (
	toFloatA = iota
	toFloatB
	toFloatAScale
	toFloatBScale
	toFloatAZeroPoint
	toFloatBZeroPoint
	toFloatBias
)

// The inputs of [QLinearWhere].
const (
	qWhereCondition = iota
	qWhereX
	qWhereXScale
	qWhereXZeroPoint
	qWhereY
	qWhereYScale
	qWhereYZeroPoint
	qWhereZScale
	qWhereZZeroPoint
)

// The operators that the quantizer writes.
var (
	QuantizeLinear = &op.Op{
		Name:   "QuantizeLinear",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs:  []op.Attr{{Name: "axis", Kind: op.Int}},
		Inputs: []op.Port{
			{Name: "x", Types: elem.Floats},
			{Name: "y_scale", Like: "x"},
			{Name: "y_zero_point", Types: elem.Of(tensor.Uint8, tensor.Int8, tensor.Uint16, tensor.Int16, tensor.Uint4, tensor.Int4), Optional: true},
		},
		Outputs: []op.Port{{Name: "y", Like: "y_zero_point"}},
		Expand:  renamed("QuantizeLinear"),
	}
	DequantizeLinear = &op.Op{
		Name:   "DequantizeLinear",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs:  []op.Attr{{Name: "axis", Kind: op.Int}},
		Inputs: []op.Port{
			{Name: "x", Types: elem.Of(tensor.Uint8, tensor.Int8, tensor.Uint16, tensor.Int16, tensor.Int32, tensor.Uint4, tensor.Int4)},
			{Name: "x_scale", Types: elem.Floats},
			{Name: "x_zero_point", Like: "x", Optional: true},
		},
		Outputs: []op.Port{{Name: "y", Like: "x_scale"}},
		Expand:  renamed("DequantizeLinear"),
	}

	QLinearAdd = &op.Op{
		Name:    "QLinearAdd",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Inputs:  quantizedOperands,
		Outputs: []op.Port{{Name: "C", Like: "A"}},
		Expand:  quantizedBinary("Add"),
	}
	QLinearMul = &op.Op{
		Name:    "QLinearMul",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Inputs:  quantizedOperands,
		Outputs: []op.Port{{Name: "C", Like: "A"}},
		Expand:  quantizedBinary("Mul"),
	}
	QLinearSigmoid = &op.Op{
		Name:    "QLinearSigmoid",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Inputs:  quantizedOperand,
		Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Expand:  quantizedUnary("Sigmoid"),
	}
	QLinearLeakyRelu = &op.Op{
		Name:    "QLinearLeakyRelu",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Attrs:   []op.Attr{{Name: "alpha", Kind: op.Float, Default: 0.01}},
		Inputs:  quantizedOperand,
		Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Expand:  quantizedUnary("LeakyRelu", "alpha"),
	}
	QLinearSoftmax = &op.Op{
		Name:   "QLinearSoftmax",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "axis", Kind: op.Int, Default: -1},
			{Name: "opset", Kind: op.Int},
		},
		Inputs: []op.Port{
			{Name: "X", Types: elem.Bytes},
			{Name: "X_scale", Types: elem.Floats},
			{Name: "x_zero_point", Like: "X", Optional: true},
			{Name: "y_scale", Types: elem.Floats},
			{Name: "y_zero_point", Like: "X"},
		},
		Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Expand:  quantizedUnary("Softmax", "axis"),
	}
	QLinearGlobalAveragePool = &op.Op{
		Name:   "QLinearGlobalAveragePool",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs:  []op.Attr{{Name: "channels_last", Kind: op.Int, Default: 0}},
		Inputs: []op.Port{
			{Name: "X", Types: elem.Bytes},
			{Name: "x_scale", Types: elem.Floats},
			{Name: "x_zero_point", Like: "X"},
			{Name: "y_scale", Types: elem.Floats},
			{Name: "y_zero_point", Like: "X"},
		},
		Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Expand:  qLinearPool("GlobalAveragePool"),
	}
	QLinearAveragePool = &op.Op{
		Name:   "QLinearAveragePool",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
			{Name: "ceil_mode", Kind: op.Int, Default: 0},
			{Name: "channels_last", Kind: op.Int, Default: 0},
			{Name: "count_include_pad", Kind: op.Int, Default: 0},
			{Name: "kernel_shape", Kind: op.Ints, Required: true},
			{Name: "pads", Kind: op.Ints},
			{Name: "strides", Kind: op.Ints},
		},
		Inputs: []op.Port{
			{Name: "X", Types: elem.Bytes},
			{Name: "x_scale", Types: elem.Floats},
			{Name: "x_zero_point", Like: "X", Optional: true},
			{Name: "y_scale", Types: elem.Floats},
			{Name: "y_zero_point", Like: "X", Optional: true},
		},
		Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Expand:  qLinearPool("AveragePool", "auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"),
	}
	QLinearConcat = &op.Op{
		Name:   "QLinearConcat",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs:  []op.Attr{{Name: "axis", Kind: op.Int, Required: true}},
		Inputs: []op.Port{
			{Name: "Y_scale", Types: elem.Floats},
			{Name: "Y_zero_point", Types: elem.Bytes},
			{Name: "inputs", Types: elem.Float32s.With(elem.Bytes), Variadic: true, Mixed: true},
		},
		Outputs: []op.Port{{Name: "Y", Like: "Y_zero_point"}},
		Expand:  qLinearConcat,
	}
	QLinearWhere = &op.Op{
		Name:   "QLinearWhere",
		Domain: op.Microsoft,
		Since:  []int{1},
		Inputs: []op.Port{
			qWhereCondition:  {Name: "condition", Types: elem.Bools},
			qWhereX:          {Name: "X", Types: elem.Bytes},
			qWhereXScale:     {Name: "x_scale", Types: elem.Floats},
			qWhereXZeroPoint: {Name: "x_zero_point", Like: "X"},
			qWhereY:          {Name: "Y", Like: "X"},
			qWhereYScale:     {Name: "y_scale", Like: "x_scale"},
			qWhereYZeroPoint: {Name: "y_zero_point", Like: "X"},
			qWhereZScale:     {Name: "z_scale", Like: "x_scale"},
			qWhereZZeroPoint: {Name: "z_zero_point", Like: "X"},
		},
		Outputs: []op.Port{{Name: "Z", Like: "X"}},
		Expand:  one(qLinearWhere),
	}
	QGemm = &op.Op{
		Name:   "QGemm",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "alpha", Kind: op.Float, Default: 1.0},
			{Name: "transA", Kind: op.Int, Default: 0},
			{Name: "transB", Kind: op.Int, Default: 0},
		},
		Inputs: []op.Port{
			qGemmA:          {Name: "A", Types: elem.Bytes},
			qGemmAScale:     {Name: "a_scale", Types: elem.Floats},
			qGemmAZeroPoint: {Name: "a_zero_point", Like: "A"},
			qGemmB:          {Name: "B", Types: elem.Bytes},
			qGemmBScale:     {Name: "b_scale", Like: "a_scale"},
			qGemmBZeroPoint: {Name: "b_zero_point", Like: "B"},
			qGemmC:          {Name: "C", Types: elem.Indices, Optional: true},
			qGemmYScale:     {Name: "y_scale", Like: "a_scale", Optional: true},
			qGemmYZeroPoint: {Name: "y_zero_point", Types: elem.Bytes, Optional: true},
		},
		Outputs: []op.Port{{Name: "Y", Types: elem.Float32s.With(elem.Bytes)}},
		Expand:  one(qGemm),
	}

	DynamicQuantizeMatMul = &op.Op{
		Name:   "DynamicQuantizeMatMul",
		Domain: op.Microsoft,
		Since:  []int{1},
		Inputs: []op.Port{
			quantMatMulA:          {Name: "A", Types: elem.Floats},
			quantMatMulB:          {Name: "B", Types: elem.Bytes},
			quantMatMulBScale:     {Name: "b_scale", Like: "A"},
			quantMatMulBZeroPoint: {Name: "b_zero_point", Like: "B", Optional: true},
			quantMatMulBias:       {Name: "bias", Like: "A", Optional: true},
		},
		Outputs: []op.Port{{Name: "Y", Like: "A"}},
		Expand:  one(dynamicMatMul),
	}
	MatMulIntegerToFloat = &op.Op{
		Name:   "MatMulIntegerToFloat",
		Domain: op.Microsoft,
		Since:  []int{1},
		Inputs: []op.Port{
			toFloatA:          {Name: "A", Types: elem.Bytes},
			toFloatB:          {Name: "B", Types: elem.Bytes},
			toFloatAScale:     {Name: "a_scale", Types: elem.Floats},
			toFloatBScale:     {Name: "b_scale", Like: "a_scale"},
			toFloatAZeroPoint: {Name: "a_zero_point", Like: "A", Optional: true},
			toFloatBZeroPoint: {Name: "b_zero_point", Like: "B", Optional: true},
			toFloatBias:       {Name: "bias", Like: "a_scale", Optional: true},
		},
		Outputs: []op.Port{{Name: "Y", Like: "a_scale"}},
		Expand:  one(matMulIntegerToFloat),
	}
	DynamicQuantizeLSTM = &op.Op{
		Name:   "DynamicQuantizeLSTM",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "activation_alpha", Kind: op.Floats},
			{Name: "activation_beta", Kind: op.Floats},
			{Name: "activations", Kind: op.Strings},
			{Name: "clip", Kind: op.Float, Default: 0.0},
			{Name: "direction", Kind: op.String, Default: "forward"},
			{Name: "hidden_size", Kind: op.Int},
			{Name: "input_forget", Kind: op.Int, Default: 0},
		},
		Inputs: []op.Port{
			quantLSTMX:            {Name: "X", Types: elem.Floats},
			quantLSTMW:            {Name: "W", Types: elem.Bytes},
			quantLSTMR:            {Name: "R", Like: "W"},
			quantLSTMB:            {Name: "B", Like: "X", Optional: true},
			quantLSTMSequenceLens: {Name: "sequence_lens", Types: elem.Indices, Optional: true},
			quantLSTMInitialH:     {Name: "initial_h", Like: "X", Optional: true},
			quantLSTMInitialC:     {Name: "initial_c", Like: "X", Optional: true},
			quantLSTMP:            {Name: "P", Like: "X", Optional: true},
			quantLSTMWScale:       {Name: "W_scale", Like: "X"},
			quantLSTMWZeroPoint:   {Name: "W_zero_point", Like: "W"},
			quantLSTMRScale:       {Name: "R_scale", Like: "X"},
			quantLSTMRZeroPoint:   {Name: "R_zero_point", Like: "W"},
		},
		Outputs: []op.Port{{Name: "Y", Like: "X", Optional: true}, {Name: "Y_h", Like: "X", Optional: true}, {Name: "Y_c", Like: "X", Optional: true}},
		Expand:  dynamicLSTM,
	}
	MatMulNBits = &op.Op{
		Name:   "MatMulNBits",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "K", Kind: op.Int, Required: true},
			{Name: "N", Kind: op.Int, Required: true},
			{Name: "accuracy_level", Kind: op.Int, Default: 0},
			{Name: "bits", Kind: op.Int, Default: 4},
			{Name: "block_size", Kind: op.Int, Required: true},
			{Name: "weight_prepacked", Kind: op.Int, Default: 0, Fixed: true},
		},
		Inputs: []op.Port{
			matMulNBitsA:          {Name: "A", Types: elem.Floats},
			matMulNBitsB:          {Name: "B", Types: elem.Uint8s},
			matMulNBitsScales:     {Name: "scales", Like: "A"},
			matMulNBitsZeroPoints: {Name: "zero_points", Types: elem.Floats.With(elem.Uint8s), Optional: true},
			matMulNBitsGIdx:       {Name: "g_idx", Types: elem.Indices, Optional: true},
			matMulNBitsBias:       {Name: "bias", Like: "A", Optional: true},
		},
		Outputs: []op.Port{{Name: "Y", Like: "A"}},
		Expand:  matMulNBits,
	}
)

// renamed returns an operator that ONNX has, too.
func renamed(name string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return one(func(b *ir.Builder, n *ir.Node) *ir.Value { return b.OpA(name, n.Attrs, n.In...) })
}

// real returns the dequantized input i. Its scale and zero point follow it.
func (q qnode) real(i int) *ir.Value {
	return q.b.Op("DequantizeLinear", q.n.In[i], q.n.In[i+1], q.n.Arg(i+2))
}

// stored returns y by the scale at input i and the zero point that follows it.
func (q qnode) stored(y *ir.Value, i int) *ir.Value {
	return q.b.Op("QuantizeLinear", y, q.n.In[i], q.n.Arg(i+1))
}

// qnode is a node with quantized operands.
type qnode struct {
	b *ir.Builder
	n *ir.Node
}

// quantizedOperands are the inputs of a quantized operator of two tensors, and quantizedOperand those of an
// operator of one tensor.
var (
	quantizedOperands = []op.Port{
		{Name: "A", Types: elem.Bytes},
		{Name: "A_scale", Types: elem.Floats},
		{Name: "A_zero_point", Like: "A", Optional: true},
		{Name: "B", Like: "A"},
		{Name: "B_scale", Types: elem.Floats},
		{Name: "B_zero_point", Like: "A", Optional: true},
		{Name: "C_scale", Types: elem.Floats},
		{Name: "C_zero_point", Like: "A", Optional: true},
	}
	quantizedOperand = []op.Port{
		{Name: "X", Types: elem.Bytes},
		{Name: "X_scale", Types: elem.Floats},
		{Name: "X_zero_point", Like: "X", Optional: true},
		{Name: "Y_scale", Types: elem.Floats},
		{Name: "Y_zero_point", Like: "X", Optional: true},
	}
)

func quantizedBinary(name string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return one(func(b *ir.Builder, n *ir.Node) *ir.Value {
		q := qnode{b, n}
		return q.stored(b.Op(name, q.real(0), q.real(3)), 6)
	})
}

func quantizedUnary(name string, attrs ...string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return one(func(b *ir.Builder, n *ir.Node) *ir.Value {
		q := qnode{b, n}
		return q.stored(b.OpA(name, given(n, attrs...), q.real(0)), 3)
	})
}

func qLinearPool(name string, attrs ...string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
		q := qnode{b, n}
		x := q.real(0)
		last := n.Int("channels_last") != 0
		if err := needRank(n, 0, 4); last && err != nil {
			return nil, err
		}
		if last {
			x = b.OpA("Transpose", op.Attrs("perm", []int{0, 3, 1, 2}), x)
		}
		y := b.OpA(name, given(n, attrs...), x)
		if last {
			y = b.OpA("Transpose", op.Attrs("perm", []int{0, 2, 3, 1}), y)
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
	return q.stored(b.Op("Where", n.In[qWhereCondition], q.real(1), q.real(4)), 7)
}

// qGemm is α·A·B + C, where C counts in steps of α·scaleA·scaleB.
func qGemm(b *ir.Builder, n *ir.Node) *ir.Value {
	q := qnode{b, n}
	alpha := n.Float("alpha")
	axis := 1
	if n.Int("transB") != 0 {
		axis = 0
	}
	w := b.OpA("DequantizeLinear", op.Attrs("axis", axis), n.In[qGemmB], n.In[qGemmBScale], n.Arg(qGemmBZeroPoint))
	bias := n.Arg(qGemmC)
	if bias != nil {
		step := b.Op("Mul", n.In[qGemmAScale], n.In[qGemmBScale])
		if alpha != 1 {
			step = b.Op("Mul", step, op.ScalarLike(b, step, alpha))
		}
		bias = b.Op("Mul", op.Cast(b, bias, step.Type.Elem), step)
	}
	y := b.OpA("Gemm", given(n, "alpha", "transA", "transB"), q.real(0), w, bias)
	if n.Arg(qGemmYScale) == nil {
		return y
	}
	return q.stored(y, 7)
}

// dynamicMatMul quantizes its first operand by the range that it has.
func dynamicMatMul(b *ir.Builder, n *ir.Node) *ir.Value {
	x := b.OpN("DynamicQuantizeLinear", 3, nil, n.In[quantMatMulA])
	sums := b.Op("MatMulInteger", x[0], n.In[quantMatMulB], x[2], n.Arg(quantMatMulBZeroPoint))
	return scaledSums(b, sums, x[1], n.In[quantMatMulBScale], n.Arg(quantMatMulBias))
}

func matMulIntegerToFloat(b *ir.Builder, n *ir.Node) *ir.Value {
	sums := b.Op("MatMulInteger", n.In[toFloatA], n.In[toFloatB], n.Arg(toFloatAZeroPoint), n.Arg(toFloatBZeroPoint))
	return scaledSums(b, sums, n.In[toFloatAScale], n.In[toFloatBScale], n.Arg(toFloatBias))
}

func scaledSums(b *ir.Builder, sums, scaleA, scaleB, bias *ir.Value) *ir.Value {
	scale := b.Op("Mul", scaleA, scaleB)
	return plus(b, b.Op("Mul", op.Cast(b, sums, scale.Type.Elem), scale), bias)
}

// dynamicLSTM multiplies bytes if its weights are constants. Otherwise it dequantizes the weights to floats,
// which is more exact.
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
	if ok && ok2 && n.In[quantLSTMX].Type.Elem == tensor.Float32 {
		in := []*ir.Value{n.In[quantLSTMX], b.Const(w.weights), b.Const(r.weights), n.Arg(quantLSTMB), n.Arg(quantLSTMSequenceLens), n.Arg(quantLSTMInitialH), n.Arg(quantLSTMInitialC), n.Arg(quantLSTMP)}
		for _, g := range []*byteGates{w, r} {
			in = append(in, b.Const(g.scales), b.Const(g.sums), b.Const(g.shifts))
		}
		return op.OwnNodes(b, "DynamicLSTM", 3, attrs, in...), nil
	}
	in := []*ir.Value{n.In[quantLSTMX], gateWeights(b, n, 1, 8), gateWeights(b, n, 2, 10), n.Arg(quantLSTMB), n.Arg(quantLSTMSequenceLens), n.Arg(quantLSTMInitialH), n.Arg(quantLSTMInitialC), n.Arg(quantLSTMP)}
	return b.OpN("LSTM", 3, attrs, in...), nil
}

// gateWeights are weights [directions, inputs, gates] as floats and transposed; their
// scale and zero point are of a direction, or of a gate.
func gateWeights(b *ir.Builder, n *ir.Node, i, scale int) *ir.Value {
	each := func(v *ir.Value) *ir.Value { // of a direction's gates
		if len(op.Shape(v)) == 1 {
			return b.Op("Unsqueeze", v, b.Ints(1, 2))
		}
		return b.Op("Unsqueeze", v, b.Ints(1))
	}
	s := each(n.In[scale])
	w := op.Cast(b, n.In[i], s.Type.Elem)
	if zero := n.Arg(scale + 1); zero != nil {
		w = b.Op("Sub", w, op.Cast(b, each(zero), s.Type.Elem))
	}
	return turn(b, b.Op("Mul", w, s))
}
