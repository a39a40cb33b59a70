package contrib

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [GatherBlockQuantized].
const (
	gatherBlocksData = iota
	gatherBlocksIndices
	gatherBlocksScales
	gatherBlocksZeroPoints
)

// GatherBlockQuantized gathers rows of quantized numbers and dequantizes them.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GatherBlockQuantized
var GatherBlockQuantized = &op.Op{
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

// gatherBlockQuantized gathers rows of weights and then dequantizes them, so that the weights stay packed.
func gatherBlockQuantized(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	gather, quantize, err := blockAxes(n)
	if err != nil {
		return nil, err
	}
	indices := n.In[gatherBlocksIndices]
	pick := func(v *ir.Value) *ir.Value { return b.OpA("Gather", op.Attrs("axis", gather), inBytes(b, v), indices) }
	x, scale, zero := pick(n.In[gatherBlocksData]), pick(n.In[gatherBlocksScales]), n.Arg(gatherBlocksZeroPoints)
	if zero != nil {
		zero = pick(zero)
	}
	if err := b.Err(); err != nil {
		return nil, err
	}
	if packsBits(n) {
		bits := n.Int("bits")
		if x = unpacked(b, x, bits); zero != nil {
			zero = firstOf(b, unpacked(b, zero, bits), op.Shape(scale))
		} else {
			x = centred(b, x, bits)
		}
	}
	if quantize > gather { // the axes of the indices have taken the place of one
		quantize += len(op.Shape(indices)) - 1
	}
	attrs := op.Attrs("axis", quantize, "block_size", n.Int("block_size"))
	return []*ir.Value{b.OpA("DequantizeLinear", attrs, x, scale, zero)}, nil
}

// packsBits reports whether a [GatherBlockQuantized] has several numbers in each byte, or one of 8 bits.
func packsBits(n *ir.Node) bool { return n.In[gatherBlocksData].Type.Elem == tensor.Uint8 }

// blockAxes returns the axis that a [GatherBlockQuantized] gathers along, and that of its blocks.
func blockAxes(n *ir.Node) (gather, quantize int, err error) {
	rank := len(op.Shape(n.In[gatherBlocksData]))
	if gather, err = op.Axis(n.Int("gather_axis"), rank); err != nil {
		return 0, 0, fmt.Errorf("gather_axis: %w", err)
	}
	if quantize, err = op.Axis(n.Int("quantize_axis"), rank); err != nil {
		return 0, 0, fmt.Errorf("quantize_axis: %w", err)
	}
	bits := n.Int("bits")
	switch {
	case gather == quantize:
		return 0, 0, fmt.Errorf("gather_axis and quantize_axis are both %d, want different axes", gather)
	case packsBits(n) && gather == rank-1:
		return 0, 0, fmt.Errorf("gather_axis is %d, along which bytes have several numbers: want another axis", gather)
	case packsBits(n) && bits != 2 && bits != 4 && bits != 8:
		return 0, 0, fmt.Errorf("bits is %d, want 2, 4 or 8", bits)
	}
	return gather, quantize, needRanks(n, map[int]int{gatherBlocksScales: rank, gatherBlocksZeroPoints: rank})
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
