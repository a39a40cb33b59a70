package contrib

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [MatMulBnb4].
const (
	matMulBnb4A = iota
	matMulBnb4B
	matMulBnb4Absmax
)

// The inputs of [GatherBlockQuantized].
const (
	gatherBlocksData = iota
	gatherBlocksIndices
	gatherBlocksScales
	gatherBlocksZeroPoints
)

// Operators with weights smaller than a byte, or with the channels last.
var (
	GatherBlockQuantized = &op.Op{
		Name:   "GatherBlockQuantized",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "bits", Kind: op.Int, Default: 4},
			{Name: "block_size", Kind: op.Int, Default: 128},
			{Name: "gather_axis", Kind: op.Int, Default: 0},
			{Name: "quantize_axis", Kind: op.Int, Default: 1},
		},
		Inputs: []op.Port{
			gatherBlocksData:       {Name: "data", Types: elem.Of(tensor.Uint8, tensor.Float8E4M3FN, tensor.Float8E4M3FNUZ, tensor.Float8E5M2, tensor.Float8E5M2FNUZ, tensor.Uint4, tensor.Int4, tensor.Float4E2M1)},
			gatherBlocksIndices:    {Name: "indices", Types: elem.Indices},
			gatherBlocksScales:     {Name: "scales", Types: elem.Floats},
			gatherBlocksZeroPoints: {Name: "zero_points", Like: "data", Optional: true},
		},
		Outputs: []op.Port{{Name: "output", Like: "scales"}},
		Expand:  gatherBlockQuantized,
	}
	MatMulBnb4 = &op.Op{
		Name:   "MatMulBnb4",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "K", Kind: op.Int, Required: true},
			{Name: "N", Kind: op.Int, Required: true},
			{Name: "block_size", Kind: op.Int, Required: true},
			{Name: "quant_type", Kind: op.Int, Required: true},
			{Name: "training_mode", Kind: op.Int, Default: 0},
			{Name: "transB", Kind: op.Int, Default: 1},
		},
		Inputs: []op.Port{
			matMulBnb4A:      {Name: "A", Types: elem.Floats},
			matMulBnb4B:      {Name: "B", Types: elem.Uint8s},
			matMulBnb4Absmax: {Name: "absmax", Like: "A"},
		},
		Outputs: []op.Port{{Name: "Y", Like: "A"}},
		Expand:  matMulBnb4,
	}
	NhwcMaxPool = &op.Op{
		Name:   "NhwcMaxPool",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
			{Name: "ceil_mode", Kind: op.Int, Default: 0},
			{Name: "dilations", Kind: op.Ints},
			{Name: "kernel_shape", Kind: op.Ints, Required: true},
			{Name: "pads", Kind: op.Ints},
			{Name: "strides", Kind: op.Ints},
		},
		Inputs:  []op.Port{{Name: "x", Types: elem.Bytes}},
		Outputs: []op.Port{{Name: "y", Like: "x"}},
		Expand:  nhwcMaxPool,
	}
)

// gatherBlockQuantized gathers rows of weights and then dequantizes them, so that the weights stay packed.
func gatherBlockQuantized(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	rank := len(op.Shape(n.In[gatherBlocksData]))
	gather, err := op.Axis(n.Int("gather_axis"), rank)
	if err != nil {
		return nil, err
	}
	quantize, err := op.Axis(n.Int("quantize_axis"), rank)
	if err != nil {
		return nil, err
	}
	bits, packed := n.Int("bits"), n.In[gatherBlocksData].Type.Elem == tensor.Uint8
	if gather == quantize || packed && (gather == rank-1 || bits != 2 && bits != 4 && bits != 8) {
		return nil, fmt.Errorf("gather_axis is %d, quantize_axis %d and bits %d: want other axes, and 2, 4 or 8 bits", gather, quantize, bits)
	}
	if err := needRanks(n, map[int]int{2: rank, 3: rank}); err != nil {
		return nil, err
	}
	pick := func(v *ir.Value) *ir.Value {
		return b.OpA("Gather", op.Attrs("axis", gather), inBytes(b, v), n.In[gatherBlocksIndices])
	}
	x, scale, zero := pick(n.In[gatherBlocksData]), pick(n.In[gatherBlocksScales]), n.Arg(gatherBlocksZeroPoints)
	if zero != nil {
		zero = pick(zero)
	}
	if err := b.Err(); err != nil {
		return nil, err
	}
	if packed {
		if x = unpacked(b, x, bits); zero != nil {
			zero = firstOf(b, unpacked(b, zero, bits), op.Shape(scale))
		} else {
			x = centred(b, x, bits)
		}
	}
	if quantize > gather {
		quantize += len(op.Shape(n.In[gatherBlocksIndices])) - 1
	}
	attrs := op.Attrs("axis", quantize)
	attrs.Set("block_size", int64(n.Int("block_size")))
	return []*ir.Value{b.OpA("DequantizeLinear", attrs, x, scale, zero)}, nil
}

// inBytes returns v with integers smaller than a byte as bytes, in which they are stored anyway.
func inBytes(b *ir.Builder, v *ir.Value) *ir.Value {
	switch v.Type.Elem {
	case tensor.Int4, tensor.Int2:
		return op.Cast(b, v, tensor.Int8)
	case tensor.Uint4, tensor.Uint2:
		return op.Cast(b, v, tensor.Uint8)
	}
	return v
}

// unpacked returns numbers of the given bits, packed in bytes along the last axis with the lowest first, as
// bytes.
func unpacked(b *ir.Builder, x *ir.Value, bits int) *ir.Value {
	if bits == 8 {
		return x
	}
	last := len(op.Shape(x)) - 1
	width, ok := op.Shape(x)[last].Const()
	if !ok {
		width = -1
	}
	var parts []*ir.Value
	for at := 0; at < 8; at += bits {
		part := b.OpA("BitShift", op.Attrs("direction", "RIGHT"), x, b.Scalar(tensor.Uint8, float64(at)))
		part = b.Op("BitwiseAnd", part, b.Scalar(tensor.Uint8, float64(int(1)<<bits-1)))
		parts = append(parts, b.Op("Unsqueeze", part, b.Ints(-1)))
	}
	shape := make([]int, last+1) // 0 is as before
	if shape[last] = -1; width >= 0 {
		shape[last] = width * len(parts)
	}
	return b.Op("Reshape", b.OpA("Concat", op.Attrs("axis", -1), parts...), b.Ints(shape...))
}

// firstOf returns the part of x with the given shape, which has fewer elements along the last axis.
func firstOf(b *ir.Builder, x *ir.Value, shape []ir.Dim) *ir.Value {
	last := len(shape) - 1
	if n, ok := shape[last].Const(); ok && !op.Shape(x)[last].Is(n) {
		return b.Op("Slice", x, b.Ints(0), b.Ints(n), b.Ints(last))
	}
	return x
}

// centred returns x minus the middle of the range of the given bits, as int8.
func centred(b *ir.Builder, x *ir.Value, bits int) *ir.Value {
	middle := float64(int(1) << (bits - 1))
	if bits == 8 {
		x = b.Op("BitwiseXor", x, b.Scalar(tensor.Uint8, middle))
		return b.OpA("BitCast", op.Attrs("to", int(tensor.Int8)), x)
	}
	return b.Op("Sub", op.Cast(b, x, tensor.Int8), b.Scalar(tensor.Int8, middle))
}

// bnb4Values are the values of bitsandbytes' numbers of 4 bits: FP4 and NF4.
var bnb4Values = [2][16]float32{
	{0, 5.208333333e-03, 0.66666667, 1, 0.33333333, 0.5, 0.16666667, 0.25, 0, -5.208333333e-03, -0.66666667, -1, -0.33333333, -0.5, -0.16666667, -0.25},
	{-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0,
		0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1},
}

// matMulBnb4 returns a product with weights of 4 bits, the higher half of each byte first. They become floats
// during code generation.
func matMulBnb4(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	k, cols, block, kind := n.Int("K"), n.Int("N"), n.Int("block_size"), n.Int("quant_type")
	if k < 1 || cols < 1 || block < 1 || k > op.MaxSize/cols || kind < 0 || kind > 1 {
		return nil, fmt.Errorf("sizes K=%d, N=%d and block_size=%d, quant_type is %d: want sizes to be positive, and type 0 or 1", k, cols, block, kind)
	}
	for i, v := range n.In[1:] {
		if !v.IsConst() {
			return nil, fmt.Errorf("input %d (%q) is not constant", i+1, v.Name)
		}
	}
	w, err := packedBytes(n.In[matMulBnb4B], (k*cols+1)/2)
	if err != nil {
		return nil, err
	}
	scales, err := floatList(n.In[matMulBnb4Absmax], (k*cols+block-1)/block)
	if err != nil {
		return nil, err
	}
	wide := make([]float32, k*cols)
	for i := range wide {
		wide[i] = bnb4Values[kind][w[i/2]>>(4*(1-i%2))&15] * float32(scales[i/block])
	}
	m := op.CastTo(b, b.Const(tensor.Of(wide, cols, k)), n.In[matMulBnb4A].Type.Elem)
	if n.Int("transB") != 0 {
		m = turn(b, m)
	}
	return []*ir.Value{b.Op("MatMul", n.In[matMulBnb4A], m)}, nil
}

func nhwcMaxPool(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := needRank(n, 0, 4); err != nil {
		return nil, err
	}
	x := b.OpA("Transpose", op.Attrs("perm", []int{0, 3, 1, 2}), n.In[op.X])
	y := b.OpA("MaxPool", given(n, "auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "strides"), x)
	return []*ir.Value{b.OpA("Transpose", op.Attrs("perm", []int{0, 2, 3, 1}), y)}, nil
}
