package linear

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// GemmStored is act(A·B + bias + residual) in float32, of matrices that are each stored as float32, float16
// or bfloat16. A and B are transposed if transA and transB are 1. The axes of A before the last are rows. The
// bias is a row, and the residual has the result's shape; both are optional.
var GemmStored = &op.Op{
	Name:   "GemmStored",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "activation", Kind: op.String, Default: ""},
		{Name: "transA", Kind: op.Int, Default: 0},
		{Name: "transB", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		fusedMatMulA:        {Name: "A", Types: elem.FactorScales},
		fusedMatMulB:        {Name: "B", Types: elem.FactorScales},
		fusedMatMulBias:     {Name: "bias", Types: elem.FactorScales, Optional: true},
		fusedMatMulResidual: {Name: "residual", Types: elem.FactorScales, Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferGemmStored,
	Lower:   lowerGemmStored,
	Agree:   agreeGemm,
	FLOPs:   gemmStoredWork,
	Stops:   op.StopAfterGradients,
}

// storedSizes returns the sizes of the product of a node.
func storedSizes(n *ir.Node) (rows, inner, cols ir.Dim) {
	a, b := op.Shape(n.In[fusedMatMulA]), op.Shape(n.In[fusedMatMulB])
	rows, inner, cols = ir.Size(a[:len(a)-1]), a[len(a)-1], b[1]
	if n.Int("transA") != 0 {
		rows, inner = inner, rows
	}
	if n.Int("transB") != 0 {
		cols = b[0]
	}
	return rows, inner, cols
}

func gemmStoredWork(n *ir.Node) ir.Dim {
	rows, inner, cols := storedSizes(n)
	return ir.C(2).Mul(rows).Mul(inner).Mul(cols)
}

func inferGemmStored(c *op.Infer) error {
	a, err := c.Tensor(fusedMatMulA)
	if err != nil {
		return err
	}
	b, err := c.Rank(fusedMatMulB, 2)
	if err != nil {
		return err
	}
	if len(a.Shape) < 2 {
		return fmt.Errorf("input %q has rank %d, want 2 or more", c.In[fusedMatMulA].Name, len(a.Shape))
	}
	for i := range c.In {
		if v := c.Arg(i); v != nil && !isStored(v, i < 2) {
			return fmt.Errorf("input %q is %s, want float32, or float16 or bfloat16 for a matrix", v.Name, v.Type)
		}
	}
	rows, inner, cols := storedSizes(c.Node)
	if depth := b.Shape[min(c.Int("transB")&1, 1)]; !op.MayEqual(inner, depth) {
		return fmt.Errorf("inputs %q and %q are %s and %s, which do not multiply", c.In[fusedMatMulA].Name, c.In[fusedMatMulB].Name, a, b)
	}
	if v := c.Arg(fusedMatMulBias); v != nil && !isRow(op.Shape(v), cols) {
		return fmt.Errorf("the bias has shape %v, want %s", op.Shape(v), cols)
	}
	shape := []ir.Dim{rows, cols}
	if c.Int("transA") == 0 {
		shape = append(slices.Clone(a.Shape[:len(a.Shape)-1]), cols)
	}
	if v := c.Arg(fusedMatMulResidual); v != nil && !ir.SameShape(op.Shape(v), shape) {
		return fmt.Errorf("the residual has shape %v, want %v", op.Shape(v), shape)
	}
	c.OutTensor(0, tensor.Float32, shape...)
	_, err = op.Activation(c.Node)
	return err
}

// isStored reports whether v is float32, or if half holds a float of 16 bits.
func isStored(v *ir.Value, half bool) bool {
	e := v.Type.Elem
	return e == tensor.Float32 || half && (e == tensor.Float16 || e == tensor.BFloat16)
}

func lowerGemmStored(l *op.Lowering) error {
	act, err := op.Activation(l.Node)
	if err != nil {
		return err
	}
	a, b, bias, residual := l.In[fusedMatMulA], l.In[fusedMatMulB], l.Arg(fusedMatMulBias), l.Arg(fusedMatMulResidual)
	m, k, n := storedSizes(l.Node)
	shape, transA, transB := op.MatMulShape(m, k, n), l.Int("transA") != 0, l.Int("transB") != 0
	if a.Type.Elem == tensor.BFloat16 && b.IsConst() && !transA && l.StoredProduct(l.Out[0], a, packB(b, packer(transB), k, n), bias, residual, shape, act) {
		return nil
	}
	l.Call("GemmStored", l.Out[0], a, b, bias, shape, transA, transB)
	l.AddAct(residual, act)
	return nil
}

// Stored returns the product n as a [GemmStored], or nil if that is not possible.
func Stored(n *ir.Node) *ir.Node {
	switch op.Lookup(n) {
	case FusedMatMul, MatMul:
	case Gemm:
		c := n.Arg(gemmC)
		if _, _, cols := gemmSizes(n); n.Float("alpha") != 1 || c != nil && (n.Float("beta") != 1 || !isRow(op.Shape(c), cols)) {
			return nil
		}
	default:
		return nil
	}
	if len(op.Shape(n.In[op.A])) < 2 || len(op.Shape(n.In[op.B])) != 2 || n.In[op.B].IsConst() { // a constant has a better layout
		return nil
	}
	y := *n
	y.Op, y.Domain, y.Version = GemmStored.Name, op.Own, 1
	y.Attrs = nil
	for _, name := range []string{"transA", "transB", "activation"} {
		if v := n.Attrs.Lookup(name); v != nil {
			y.Attrs.Set(name, v)
		}
	}
	return &y
}
