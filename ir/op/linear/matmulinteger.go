package linear

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [MatMulInteger].
const (
	matMulIntegerA = iota
	matMulIntegerB
	matMulIntegerAZeroPoint
	matMulIntegerBZeroPoint
)

// MatMulInteger is the matrix product of 8-bit integers, less their zero
// points, in int32.
//
// https://onnx.ai/onnx/operators/onnx__MatMulInteger.html
var MatMulInteger = &op.Op{
	Name:  "MatMulInteger",
	Since: []int{10},
	Inputs: []op.Port{
		matMulIntegerA:          {Name: "A", Types: elem.Bytes},
		matMulIntegerB:          {Name: "B", Types: elem.Bytes},
		matMulIntegerAZeroPoint: {Name: "a_zero_point", Like: "A", Optional: true},
		matMulIntegerBZeroPoint: {Name: "b_zero_point", Like: "B", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Types: elem.Int32s}},
	Infer:   inferMatMulInteger,
	Agree:   agreeProduct(0, 1),
	Lower: func(l *op.Lowering) error {
		lowerProduct32(l, l.Out[0], l.In[matMulIntegerA], l.In[matMulIntegerB], l.Arg(matMulIntegerAZeroPoint), l.Arg(matMulIntegerBZeroPoint))
		return nil
	},
	FLOPs: func(n *ir.Node) ir.Dim { return productWork(n, matMulIntegerA) },
	Stops: op.StopFromIntegers,
}

// productWork counts a multiplication and an addition for each element of the result and of a row of input a.
func productWork(n *ir.Node, a int) ir.Dim {
	s := op.Shape(n.In[a])
	return ir.C(2).Mul(op.OutLen(n)).Mul(s[len(s)-1])
}

func inferMatMulInteger(c *op.Infer) error {
	shape, err := inferProduct32(c, 0, 1, 2, 3)
	c.OutTensor(0, tensor.Int32, shape...)
	return err
}

// inferProduct32 returns the shape of a product of 8-bit matrices. The inputs are given by position.
func inferProduct32(c *op.Infer, a, b, azp, bzp int) ([]ir.Dim, error) {
	at, err := c.ByteTensor(a)
	if err != nil {
		return nil, err
	}
	bt, err := c.ByteTensor(b)
	if err != nil {
		return nil, err
	}
	shape, err := productShape(at.Shape, bt.Shape)
	if err != nil {
		return nil, err
	}
	p := newProduct(at.Shape, bt.Shape)
	if err := c.CheckFactors(azp, at.Elem, p.m, ir.Size(p.as)); err != nil {
		return nil, err
	}
	return shape, c.CheckFactors(bzp, bt.Elem, p.n, ir.Size(p.bs))
}

// lowerProduct32 computes a product of 8-bit matrices into y, which is int32.
func lowerProduct32(l *op.Lowering, y, a, b, azp, bzp *ir.Value) {
	p := newProduct(op.Shape(a), op.Shape(b))
	if len(p.bs) == 0 && b.IsConst() && (bzp == nil || bzp.IsConst()) {
		w := packB(op.SignedBytes(b), "PackB8", p.k, p.n)
		zero := bzp
		if zero == nil && b.Type.Elem == tensor.Uint8 {
			zero = ir.NewConst(b.Name+"_zero", tensor.New(tensor.Uint8, 1))
		}
		l.Call("MatMulIntegerPacked", y, a, w, azp, op.SignedBytes(zero), ir.Size(p.as).Mul(p.m), p.k, p.n)
		return
	}
	l.Call("MatMulInteger", y, a, b, azp, bzp, p.shapeArg())
}
