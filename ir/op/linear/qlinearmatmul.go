package linear

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [QLinearMatMul].
const (
	qLinearMatMulA = iota
	qLinearMatMulAScale
	qLinearMatMulAZeroPoint
	qLinearMatMulB
	qLinearMatMulBScale
	qLinearMatMulBZeroPoint
	qLinearMatMulYScale
	qLinearMatMulYZeroPoint
)

// QLinearMatMul is the matrix product of quantized operands, quantized.
//
// https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
var QLinearMatMul = &op.Op{
	Name:  "QLinearMatMul",
	Since: []int{10, 21},
	Inputs: []op.Port{
		qLinearMatMulA:          {Name: "a", Types: factors},
		qLinearMatMulAScale:     {Name: "a_scale", Types: elem.FactorScales},
		qLinearMatMulAZeroPoint: {Name: "a_zero_point", Like: "a"},
		qLinearMatMulB:          {Name: "b", Types: factors},
		qLinearMatMulBScale:     {Name: "b_scale", Like: "a_scale"},
		qLinearMatMulBZeroPoint: {Name: "b_zero_point", Like: "b"},
		qLinearMatMulYScale:     {Name: "y_scale", Like: "a_scale"},
		qLinearMatMulYZeroPoint: {Name: "y_zero_point", Types: factors},
	},
	Outputs: []op.Port{{Name: "y", Like: "y_zero_point"}},
	Infer:   inferQLinearMatMul,
	Lower:   lowerQLinearMatMul,
	FLOPs:   func(n *ir.Node) ir.Dim { return productWork(n, qLinearMatMulA) },
	Agree:   agreeProduct(0, 3),
	Expand:  expandQLinearMatMul,
	Expands: func(n *ir.Node) bool { return anySmall(n, 0, 2, 3, 5, 7) },
	Widen:   true, // the scales
	Stops:   op.StopFromIntegers,
}

// anySmall reports whether one of the inputs is of a float type below float32.
func anySmall(n *ir.Node, inputs ...int) bool {
	for _, i := range inputs {
		if v := n.Arg(i); v != nil && v.Type.Elem.IsSmallFloat() {
			return true
		}
	}
	return false
}

func inferQLinearMatMul(c *op.Infer) error {
	zero, err := c.Tensor(qLinearMatMulYZeroPoint)
	if err != nil {
		return err
	}
	if anySmall(c.Node, 0, 3) {
		return inferQLinearFloat8(c, zero.Elem)
	}
	if _, err := c.ByteTensor(qLinearMatMulYZeroPoint); err != nil {
		return err
	}
	shape, err := inferProduct32(c, 0, 3, 2, 5)
	if err != nil {
		return err
	}
	p := newProduct(op.Shape(c.In[qLinearMatMulA]), op.Shape(c.In[qLinearMatMulB]))
	scale, matrices := c.Type(qLinearMatMulAScale).Elem, ir.Size(p.batch())
	if err := c.CheckFactors(qLinearMatMulAScale, scale, p.m, matrices); err != nil {
		return err
	}
	if err := c.CheckFactors(qLinearMatMulBScale, scale, p.n, matrices); err != nil {
		return err
	}
	if err := c.CheckFactors(qLinearMatMulYScale, scale, ir.C(1), ir.C(1)); err != nil {
		return err
	}
	if err := c.CheckFactors(qLinearMatMulYZeroPoint, zero.Elem, ir.C(1), ir.C(1)); err != nil {
		return err
	}
	c.OutTensor(0, zero.Elem, shape...)
	return nil
}

// factors are the element types of the operands and the result of a quantized product, factorScales those of
// their scales.
var (
	factors = elem.Float8s.Or("a byte or a float8", elem.Named("", tensor.Int8, tensor.Uint8))
)

// inferQLinearFloat8 is inference for a product of which an operand is of float8.
func inferQLinearFloat8(c *op.Infer, to tensor.DType) error {
	a, err := c.Tensor(qLinearMatMulA)
	if err != nil {
		return err
	}
	b, err := c.Tensor(qLinearMatMulB)
	if err != nil {
		return err
	}
	for i := range c.In {
		elems := factors
		if i == 1 || i == 4 || i == 6 {
			elems = elem.FactorScales
		}
		if err := c.CheckElems(i, elems); err != nil {
			return err
		}
	}
	shape, err := productShape(a.Shape, b.Shape)
	c.OutTensor(0, to, shape...)
	return err
}

// expandQLinearMatMul returns the product of the operands as floats.
func expandQLinearMatMul(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := b.Op("DequantizeLinear", n.In[qLinearMatMulA], n.In[qLinearMatMulAScale], n.In[qLinearMatMulAZeroPoint])
	y := b.Op("DequantizeLinear", n.In[qLinearMatMulB], n.In[qLinearMatMulBScale], n.In[qLinearMatMulBZeroPoint])
	return []*ir.Value{b.Op("QuantizeLinear", b.Op("MatMul", x, y), n.In[qLinearMatMulYScale], n.In[qLinearMatMulYZeroPoint])}, nil
}

func lowerQLinearMatMul(l *op.Lowering) error {
	y, a, b := l.Out[0], l.In[qLinearMatMulA], l.In[qLinearMatMulB]
	p := newProduct(op.Shape(a), op.Shape(b))
	sums := l.Scratch(tensor.Int32, op.Shape(y)...)
	lowerProduct32(l, sums, a, b, l.In[qLinearMatMulAZeroPoint], l.In[qLinearMatMulBZeroPoint])
	l.Call("Requantize", y, sums, l.In[qLinearMatMulAScale], l.In[qLinearMatMulBScale], l.In[qLinearMatMulYScale], l.In[qLinearMatMulYZeroPoint], p.m, p.n)
	return nil
}
