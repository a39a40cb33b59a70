package contrib

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [MatMulPackedNBits].
const (
	matMulPackedNBitsA = iota
	matMulPackedNBitsB
	matMulPackedNBitsScales
	matMulPackedNBitsZeroPoints
	matMulPackedNBitsBias
)

// wordBits is the size in bits that the weights of a block's column are a multiple of.
const wordBits = 32

// int8Accuracy is the accuracy_level that permits rows of int8; those below it demand floats.
const int8Accuracy = 4

// MatMulPackedNBits is MatMulNBits of com.microsoft for weights of 4 or 8 bits: x·W + bias for the rows of x. Each
// block of block_size weights of a column has a scale, and may have a zero point of as many bits as a weight. Weights and zero
// points are constants in their packed form; the bias is the last input. If accuracy_level is 4, rows are
// quantized to int8, as the model then permits.
var MatMulPackedNBits = &op.Op{
	Name:   "MatMulPackedNBits",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "K", Kind: op.Int, Required: true},
		{Name: "N", Kind: op.Int, Required: true},
		{Name: "accuracy_level", Kind: op.Int, Default: 0},
		{Name: "bits", Kind: op.Int, Default: 4},
		{Name: "block_size", Kind: op.Int, Required: true},
	},
	Inputs: []op.Port{
		matMulPackedNBitsA:          {Name: "A", Types: elem.Floats},
		matMulPackedNBitsB:          {Name: "B", Types: elem.Uint8s},
		matMulPackedNBitsScales:     {Name: "scales", Like: "A"},
		matMulPackedNBitsZeroPoints: {Name: "zero_points", Types: elem.Uint8s, Optional: true},
		matMulPackedNBitsBias:       {Name: "bias", Like: "A", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "A"}},
	Infer:   inferMatMulPackedNBits,
	Lower:   lowerMatMulPackedNBits,
	Expand:  expandMatMulPackedNBits,
	Expands: func(n *ir.Node) bool { return n.In[matMulPackedNBitsA].Type.Elem == tensor.Float64 },
	Widen:   true,
	FLOPs:   nbitsWork,
	Bytes:   nbitsBytes,
}

// nbitsSizes returns the sizes of a MatMulPackedNBits, and its blocks in a column.
func nbitsSizes(n *ir.Node) (k, cols, block, blocks int) {
	k, cols, block = n.Int("K"), n.Int("N"), n.Int("block_size")
	return k, cols, block, (k + block - 1) / max(block, 1)
}

func inferMatMulPackedNBits(c *op.Infer) error {
	x, err := c.Tensor(matMulPackedNBitsA)
	if err != nil {
		return err
	}
	k, n, block, blocks := nbitsSizes(c.Node)
	bits := c.Int("bits")
	if bits != 4 && bits != 8 {
		return fmt.Errorf("bits is %d, want 4 or 8", bits)
	}
	if k < 1 || n < 1 || k > op.MaxSize/n || block < 1 || block*bits%wordBits != 0 || block > op.MaxSize/n {
		return fmt.Errorf("sizes K=%d, N=%d and block_size=%d: want all to be positive, and the last a multiple of %d", k, n, block, wordBits/bits)
	}
	last := len(x.Shape) - 1
	if last < 0 || !op.MayEqual(x.Shape[last], ir.C(k)) || !elem.Floats.Has(x.Elem) {
		return fmt.Errorf("input %q is %s, want %d columns of floats", c.In[matMulPackedNBitsA].Name, x, k)
	}
	c.Assume(op.AgreeAxis(c.In[matMulPackedNBitsA], last, ir.C(k)))
	for i, size := range []int{n * blocks * block * bits / 8, n * blocks, n * ((blocks*bits + 7) / 8), n} {
		v := c.Arg(matMulPackedNBitsB + i)
		if v == nil {
			continue
		}
		elem := x.Elem
		if packed := i == 0 || i == 2; packed {
			elem = tensor.Uint8
		}
		if v.Type.Elem != elem || !ir.Size(op.Shape(v)).Is(size) || elem == tensor.Uint8 && !v.IsConst() {
			return fmt.Errorf("input %d (%q) is %s, want %d elements of %s, constant if packed", 1+i, v.Name, v.Type, size, elem)
		}
	}
	c.OutTensor(0, x.Elem, append(slices.Clone(x.Shape[:last]), ir.C(n))...)
	return nil
}

func lowerMatMulPackedNBits(l *op.Lowering) error {
	k, n, block, blocks := nbitsSizes(l.Node)
	bits := l.Int("bits")
	if !l.In[matMulPackedNBitsScales].IsConst() {
		return fmt.Errorf("input 2 (%q) is not constant", l.In[matMulPackedNBitsScales].Name)
	}
	w := op.Packed{Value: l.In[matMulPackedNBitsB], Packer: "PackNBits", Dims: []int{blocks * block, n, bits}}
	scales := op.Packed{Value: l.In[matMulPackedNBitsScales], Packer: "PackB32T", Dims: []int{blocks, n}}
	var zeros any = (*ir.Value)(nil)
	if z := l.Arg(matMulPackedNBitsZeroPoints); z != nil {
		zeros = op.Packed{Value: z, Packer: "PackNBitsZeros", Dims: []int{blocks, n, bits}}
	}
	x := op.Shape(l.In[matMulPackedNBitsA])
	kernel := "MatMulNBits"
	if l.Int("accuracy_level") == int8Accuracy {
		kernel = "MatMulNBitsInt8"
	}
	l.Call(kernel, l.Out[0], l.In[matMulPackedNBitsA], w, scales, zeros, l.Arg(matMulPackedNBitsBias), op.Struct{Type: "NBitsShape", Fields: []op.Field{
		{Name: "M", Value: ir.Size(x[:len(x)-1])}, {Name: "K", Value: k}, {Name: "N", Value: n}, {Name: "Block", Value: block}, {Name: "Bits", Value: bits},
	}})
	return nil
}

// expandMatMulPackedNBits has the weights as floats.
func expandMatMulPackedNBits(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	q, err := readBlocks(n)
	if err != nil {
		return nil, err
	}
	return []*ir.Value{plus(b, q.product(b, n.In[matMulPackedNBitsA]), n.Arg(matMulPackedNBitsBias))}, nil
}

func nbitsWork(n *ir.Node) ir.Dim {
	x := op.Shape(n.In[matMulPackedNBitsA])
	_, cols, _, _ := nbitsSizes(n)
	return ir.C(2 * cols).Mul(ir.Size(x))
}

// nbitsBytes counts the weights in their packed size.
func nbitsBytes(n *ir.Node) ir.Dim {
	sum := ir.C(0)
	for _, v := range append(slices.Clone(n.In), n.Out[0]) {
		sum = sum.Add(op.BytesOf(v))
	}
	return sum
}
