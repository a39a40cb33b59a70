package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// QMatMul is what becomes of the sums of products of bytes: the rows of x, of
// int8 or uint8, times one constant matrix of int8, which is given by its
// transpose if transB is 1. With the constant rows add, mult and shift it is
//
//	saturate(round(float32(x·(B - shift) + add) · mult) + zero)
//
// or at least zero with relu, in the type that the attribute "to" names. A
// float32 is neither rounded nor moved, an int32 is x·(B - shift) + add. An int8 of x
// counts from -128 on: it stands for itself and 128 more.
var QMatMul = &Op{
	Name:   "QMatMul",
	Domain: Own,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "relu", Kind: Int, Default: 0},
		{Name: "to", Kind: Int, Default: 1},
		{Name: "transB", Kind: Int, Default: 0},
		{Name: "zero", Kind: Int, Default: 0},
	},
	Inputs: []Port{
		{Name: "x", Types: int8s},
		{Name: "w"},
		{Name: "add", Types: int32s},
		{Name: "mult", Types: float32s, Optional: true},
		{Name: "shift", Types: int32s, Optional: true},
	},
	Outputs: []Port{{Name: "y"}},
	Infer:   inferQMatMul,
	Lower:   lowerQMatMul,
	Agree:   agreeGemm,
	FLOPs:   fusedMatMulWork,
	Stops:   afterGradients,
}

func inferQMatMul(c *Infer) error {
	x, err := byteTensor(c, 0)
	if err != nil {
		return err
	}
	b, err := c.Rank(1, 2)
	if err != nil {
		return err
	}
	if len(x.Shape) < 2 {
		return fmt.Errorf("input %q has rank %d, want 2 or more", c.In[0].Name, len(x.Shape))
	}
	rows, n := b.Shape[0], b.Shape[1]
	if c.Int("transB") != 0 {
		rows, n = n, rows
	}
	if k := x.Shape[len(x.Shape)-1]; !mayBe(k, rows) {
		return fmt.Errorf("input %q has %s columns, want %s", c.In[0].Name, k, rows)
	}
	to, err := inferSums(c, n)
	c.OutTensor(0, to, append(append([]ir.Dim{}, x.Shape[:len(x.Shape)-1]...), n)...)
	return err
}

// inferSums is the element type of a node that makes outputs of sums, and
// checks its weights and the parameters of n rows or columns.
func inferSums(c *Infer, n ir.Dim) (tensor.DType, error) {
	to, err := dtypeAttr(c.Node, "to", tensor.Float32)
	if err != nil {
		return to, err
	}
	if !newElems("", tensor.Int8, tensor.Uint8, tensor.Int32, tensor.Float32).has(to) {
		return to, fmt.Errorf("sums cannot become %s", to)
	}
	for i, elem := range []tensor.DType{tensor.Int8, tensor.Int32, tensor.Float32, tensor.Int32} {
		v := c.Arg(1 + i)
		if v == nil && (i == 2 && to == tensor.Int32 || i == 3) {
			continue
		}
		if v == nil || !v.IsConst() || v.Type.Elem != elem || i > 0 && !ir.Size(Shape(v)).Equal(n) {
			return to, fmt.Errorf("input %d is not a constant of %s for %s columns or filters", 1+i, elem, n)
		}
	}
	return to, nil
}

func lowerQMatMul(l *Lowering) error {
	rows, k, n := fusedSizes(l.Node)
	packer := "PackB8"
	if l.Int("transB") != 0 {
		packer = "PackB8T"
	}
	l.Call("QMatMul", l.Out[0], l.In[0], packB(l.In[1], packer, k, n), l.In[2], l.Arg(3), l.Arg(4),
		l.Int("zero"), l.Int("relu") != 0, rows, k, n)
	return nil
}
