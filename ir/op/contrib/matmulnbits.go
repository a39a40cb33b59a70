package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
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

// MatMulNBits multiplies with weights of 2, 4 or 8 bits. Each block of weights has a scale and a zero point.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulNBits
var MatMulNBits = &op.Op{
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

// matMulNBits keeps the weights packed, those of 2 bits in 4. If zero points are floats, or a block does not
// consist of whole words, the weights become floats during code generation: no kernel reads these.
func matMulNBits(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := unsupported(n, matMulNBitsGIdx); err != nil {
		return nil, err
	}
	q, err := readBlocks(n)
	if err != nil {
		return nil, err
	}
	if q.zeroFloats == nil && q.block*max(q.bits, 4)%wordBits == 0 {
		weights, zeros, attrs := n.In[matMulNBitsB], n.Arg(matMulNBitsZeroPoints), given(n, "K", "N", "accuracy_level", "bits", "block_size")
		if q.bits == 2 {
			weights, zeros = q.fourBits(b)
			attrs.Set("bits", int64(4))
		}
		y := op.OwnNode(b, MatMulPackedNBits.Name, attrs, n.In[matMulNBitsA], weights, op.CastTo(b, n.In[matMulNBitsScales], n.In[matMulNBitsA].Type.Elem), zeros, n.Arg(matMulNBitsBias))
		return []*ir.Value{y}, nil
	}
	return []*ir.Value{plus(b, q.product(b, n.In[matMulNBitsA]), n.Arg(matMulNBitsBias))}, nil
}
