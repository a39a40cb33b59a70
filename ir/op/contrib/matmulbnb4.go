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

// MatMulBnb4 multiplies with weights of 4 bits in the form of bitsandbytes.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulBnb4
var MatMulBnb4 = &op.Op{
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

// bnb4Values holds the values of bitsandbytes' numbers of 4 bits, by quant_type: FP4 and NF4.
var bnb4Values = [2][16]float32{
	{0, 5.208333333e-03, 0.66666667, 1, 0.33333333, 0.5, 0.16666667, 0.25, 0, -5.208333333e-03, -0.66666667, -1, -0.33333333, -0.5, -0.16666667, -0.25},
	{-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0,
		0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1},
}

// matMulBnb4 returns a product with weights of 4 bits, the higher half of each byte first. They become floats
// during code generation.
func matMulBnb4(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	k, cols, block, kind := n.Int("K"), n.Int("N"), n.Int("block_size"), n.Int("quant_type")
	if err := checkBlocks(k, cols, block); err != nil {
		return nil, err
	}
	if kind < 0 || kind >= len(bnb4Values) {
		return nil, fmt.Errorf("quant_type is %d, want 0 for FP4 or 1 for NF4", kind)
	}
	if err := needConst(n, matMulBnb4B, matMulBnb4Absmax); err != nil {
		return nil, err
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
		m = swapLast(b, m)
	}
	return []*ir.Value{b.Op("MatMul", n.In[matMulBnb4A], m)}, nil
}
