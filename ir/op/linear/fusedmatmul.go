package linear

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [FusedMatMul] and [GemmStored].
const (
	fusedMatMulA = iota
	fusedMatMulB
	fusedMatMulBias
	fusedMatMulResidual
)

// FusedMatMul is act(x·B + bias + residual) for the rows of x and one matrix B, which is transposed if transB
// is 1. The bias is a row, and the residual has the result's shape; both are optional.
var FusedMatMul = &op.Op{
	Name:   "FusedMatMul",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "activation", Kind: op.String, Default: ""},
		{Name: "transB", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		fusedMatMulA:        {Name: "A", Types: elem.Floats},
		fusedMatMulB:        {Name: "B", Like: "A"},
		fusedMatMulBias:     {Name: "bias", Like: "A", Optional: true},
		fusedMatMulResidual: {Name: "residual", Like: "A", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "A"}},
	Infer:   inferFusedMatMul,
	Lower:   lowerFusedMatMul,
	Agree:   agreeGemm,
	FLOPs:   fusedMatMulWork,
	Stops:   op.StopAfterGradients,
}

// fusedSizes returns the sizes of the matrix product of a node.
func fusedSizes(n *ir.Node) (rows, k, cols ir.Dim) {
	x, b := op.Shape(n.In[fusedMatMulA]), op.Shape(n.In[fusedMatMulB])
	rows, k, cols = ir.Size(x[:len(x)-1]), b[0], b[1]
	if n.Int("transB") != 0 {
		k, cols = cols, k
	}
	return rows, k, cols
}

func fusedMatMulWork(n *ir.Node) ir.Dim {
	rows, k, cols := fusedSizes(n)
	return ir.C(2).Mul(rows).Mul(k).Mul(cols)
}

func inferFusedMatMul(c *op.Infer) error {
	x, err := c.Tensor(fusedMatMulA)
	if err != nil {
		return err
	}
	b, err := c.Rank(fusedMatMulB, 2)
	if err != nil {
		return err
	}
	if len(x.Shape) < 2 {
		return fmt.Errorf("input %q has rank %d, want 2 or more", c.In[fusedMatMulA].Name, len(x.Shape))
	}
	for i := range c.In {
		if c.Arg(i) != nil {
			if err := c.LikeInput0(i); err != nil {
				return err
			}
		}
	}
	rows, n := b.Shape[0], b.Shape[1]
	if c.Int("transB") != 0 {
		rows, n = n, rows
	}
	if k := x.Shape[len(x.Shape)-1]; !op.MayEqual(k, rows) {
		return fmt.Errorf("input %q has %s columns, want %s", c.In[fusedMatMulA].Name, k, rows)
	}
	if v := c.Arg(fusedMatMulBias); v != nil && !isRow(op.Shape(v), n) {
		return fmt.Errorf("the bias has shape %v, want %s", op.Shape(v), n)
	}
	shape := append(append([]ir.Dim{}, x.Shape[:len(x.Shape)-1]...), n)
	if v := c.Arg(fusedMatMulResidual); v != nil && !ir.SameShape(op.Shape(v), shape) {
		return fmt.Errorf("the residual has shape %v, want %v", op.Shape(v), shape)
	}
	c.OutTensor(0, x.Elem, shape...)
	_, err = op.Activation(c.Node)
	return err
}

func lowerFusedMatMul(l *op.Lowering) error {
	act, err := op.Activation(l.Node)
	if err != nil {
		return err
	}
	y, x, b, bias, residual := l.Out[0], l.In[fusedMatMulA], l.In[fusedMatMulB], l.Arg(fusedMatMulBias), l.Arg(fusedMatMulResidual)
	rows, k, n := fusedSizes(l.Node)
	transB := l.Int("transB") != 0
	if y.Type.Elem == tensor.Float32 && b.IsConst() {
		packedProduct(l, packB(b, packer(transB), k, n), bias, residual, rows, k, n, act)
		return nil
	}
	var shape []ir.Dim
	if bias != nil {
		shape = []ir.Dim{n}
	}
	l.Call("Gemm", y, x, b, bias, op.Struct{Type: "GemmShape", Fields: []op.Field{
		{Name: "M", Value: rows}, {Name: "K", Value: k}, {Name: "N", Value: n}, {Name: "TransB", Value: transB},
		{Name: "Alpha", Value: 1.0}, {Name: "Beta", Value: 1.0},
	}}, shape)
	l.AddAct(residual, act)
	return nil
}
