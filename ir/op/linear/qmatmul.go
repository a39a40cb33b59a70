package linear

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [QMatMul].
const (
	qMatMulX = iota
	qMatMulW
	qMatMulAdd
	qMatMulMult
	qMatMulShift
)

// QMatMul multiplies bytes and transforms the sums: the rows of x, of int8 or uint8, times one constant
// matrix of int8, which is transposed if transB is 1. With the constant rows add, mult and shift, it is
//
//	saturate(round(float32(x·(B - shift) + add) · mult) + zero)
//
// or at least zero with relu, in the type of the attribute "to". A float32 is neither rounded nor shifted; an
// int32 is x·(B - shift) + add. An int8 of x is offset by 128.
var QMatMul = &op.Op{
	Name:   "QMatMul",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "relu", Kind: op.Int, Default: 0},
		{Name: "to", Kind: op.Int, Default: 1},
		{Name: "transB", Kind: op.Int, Default: 0},
		{Name: "zero", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		qMatMulX:     {Name: "x", Types: elem.Bytes},
		qMatMulW:     {Name: "w"},
		qMatMulAdd:   {Name: "add", Types: elem.Int32s},
		qMatMulMult:  {Name: "mult", Types: elem.Float32s, Optional: true},
		qMatMulShift: {Name: "shift", Types: elem.Int32s, Optional: true},
	},
	Outputs: []op.Port{{Name: "y"}},
	Infer:   inferQMatMul,
	Lower:   lowerQMatMul,
	Agree:   agreeGemm,
	FLOPs:   fusedMatMulWork,
	Stops:   op.StopAfterGradients,
}

func inferQMatMul(c *op.Infer) error {
	x, err := c.ByteTensor(qMatMulX)
	if err != nil {
		return err
	}
	b, err := c.Rank(qMatMulW, 2)
	if err != nil {
		return err
	}
	if len(x.Shape) < 2 {
		return fmt.Errorf("input %q has rank %d, want 2 or more", c.In[qMatMulX].Name, len(x.Shape))
	}
	rows, n := b.Shape[0], b.Shape[1]
	if c.Int("transB") != 0 {
		rows, n = n, rows
	}
	if k := x.Shape[len(x.Shape)-1]; !op.MayEqual(k, rows) {
		return fmt.Errorf("input %q has %s columns, want %s", c.In[qMatMulX].Name, k, rows)
	}
	to, err := op.InferSums(c, n)
	c.OutTensor(0, to, append(append([]ir.Dim{}, x.Shape[:len(x.Shape)-1]...), n)...)
	return err
}

func lowerQMatMul(l *op.Lowering) error {
	rows, k, n := fusedSizes(l.Node)
	packer := "PackB8"
	if l.Int("transB") != 0 {
		packer = "PackB8T"
	}
	l.Call("QMatMul", l.Out[0], l.In[qMatMulX], packB(l.In[qMatMulW], packer, k, n), op.Requant(l.Node, l.In[qMatMulAdd], l.Arg(qMatMulMult), l.Arg(qMatMulShift)), op.MatMulShape(rows, k, n))
	return nil
}
