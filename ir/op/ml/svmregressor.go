package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SVMRegressor is the value of a support vector machine, or whether an input
// belongs to its one class.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_SVMRegressor.html
var SVMRegressor = &op.Op{
	Name:   "SVMRegressor",
	Domain: domain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "coefficients", Kind: op.Floats},
		{Name: "kernel_params", Kind: op.Floats},
		{Name: "kernel_type", Kind: op.String, Default: "LINEAR", Values: svmKernels},
		{Name: "n_supports", Kind: op.Int, Default: 0},
		{Name: "one_class", Kind: op.Int, Default: 0},
		{Name: "post_transform", Kind: op.String, Default: "NONE", Values: transforms},
		{Name: "rho", Kind: op.Floats},
		{Name: "support_vectors", Kind: op.Floats},
	},
	Inputs:  []op.Port{{Name: "X", Types: numbers}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferSVMRegressor,
	Lower: func(l *op.Lowering) error {
		one := op.Field{Name: "OneClass", Value: l.Int("one_class") != 0}
		l.Call("SVMRegress", l.Out[0], l.In[op.X], svm(l, l.Int("n_supports"), 1, one))
		postTransform(l, l.Out[0], l.Str("post_transform"), 1)
		return nil
	},

	Expand:  expandSVMRegressor,
	Expands: op.Never,
}

func inferSVMRegressor(c *op.Infer) error {
	rows, cols, err := matrixSize(c)
	if err != nil {
		return err
	}
	n := c.Int("n_supports")
	if n < 0 || n > 1<<30 {
		return fmt.Errorf("n_supports is %d", n)
	}
	c.OutTensor(0, tensor.Float32, rows, ir.C(1))
	return checkSVM(c, cols, n, 1, 1)
}

// y = Σ coefficient · kernel(x, vector) + rho
func expandSVMRegressor(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if n.Int("one_class") != 0 {
		return nil, fmt.Errorf("there is no gradient of whether x belongs to the one class")
	}
	x := matrix32(b, n.In[op.X])
	coef := b.Op("Unsqueeze", floats32(b, n.Floats("coefficients")), b.Ints(1))
	like := x
	if n.Int("n_supports") > 0 {
		like = svmKernel(b, n, x)
	}
	y := b.Op("Add", b.Op("MatMul", like, coef), floats32(b, n.Floats("rho")[:1]))
	y, err := transformed(b, y, n.Str("post_transform"))
	return []*ir.Value{y}, err
}

// svmKernel compares each row of x with each support vector.
func svmKernel(b *ir.Builder, n *ir.Node, x *ir.Value) *ir.Value {
	vectors := b.Op("Reshape", floats32(b, n.Floats("support_vectors")), b.Ints(n.Int("n_supports"), -1))
	p := append(n.Floats("kernel_params"), 0, 0, 0)
	gamma, coef0, degree := op.ScalarLike(b, x, p[0]), op.ScalarLike(b, x, p[1]), op.ScalarLike(b, x, p[2])
	kind := n.Str("kernel_type")
	if kind == "RBF" {
		d := b.Op("Sub", b.Op("Unsqueeze", x, b.Ints(1)), vectors)
		far := b.OpA("ReduceSumSquare", op.Attrs("keepdims", 0), d, b.Ints(2))
		return b.Op("Exp", b.Op("Neg", b.Op("Mul", far, gamma)))
	}
	dot := b.Op("MatMul", x, b.OpA("Transpose", nil, vectors))
	scaled := b.Op("Add", b.Op("Mul", dot, gamma), coef0)
	switch kind {
	case "POLY":
		return b.Op("Pow", scaled, degree)
	case "SIGMOID":
		return b.Op("Tanh", scaled)
	}
	return dot
}
