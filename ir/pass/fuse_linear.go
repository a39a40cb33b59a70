package pass

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// linearOps are the operators that multiply the rows of a tensor with a matrix.
var linearOps = []string{"MatMul", "Gemm", "FusedMatMul"}

// linear is act(x·b + bias + residual), or x·bᵀ.
type linear struct {
	x, b, bias, residual *ir.Value
	transB               bool
	act                  string
}

// product reads n. It returns nil if n is not a product of rows with one matrix, or if it is scaled.
func (f *fuser) product(n *ir.Node) *linear {
	if n == nil || len(n.In[op.X].Type.Shape) < 2 || len(n.In[inWeights].Type.Shape) != 2 || !isFloat(n.In[op.X]) {
		return nil
	}
	p := &linear{x: n.In[op.X], b: n.In[inWeights], bias: n.Arg(inBias), residual: n.Arg(inResidual), transB: n.Int("transB") != 0, act: n.Str("activation")}
	if n.Is("Gemm") {
		if n.Float("alpha") != 1 || n.Int("transA") != 0 || p.bias != nil && n.Float("beta") != 1 {
			return nil
		}
	}
	if p.bias != nil && !isRow(p.bias, n.Out[0]) {
		return nil
	}
	return p
}

// isRow reports whether v has exactly one element for each column of y.
func isRow(v, y *ir.Value) bool {
	s, cols := v.Type.Shape, y.Type.Shape[len(y.Type.Shape)-1]
	return len(s) > 0 && len(s) <= len(y.Type.Shape) && s[len(s)-1].Equal(cols) && ir.Size(s[:len(s)-1]).Is(1)
}

// linear builds p as one node.
func (f *fuser) linear(p *linear) *ir.Value {
	if p.bias == nil && p.residual == nil && p.act == "" && !p.transB {
		return f.b.Op("MatMul", p.x, p.b)
	}
	n := &ir.Node{Op: "FusedMatMul", In: trim(p.x, p.b, p.bias, p.residual)}
	p.setAttrs(n)
	return f.own(n)
}

// setAttrs sets the attributes of n, which has none, to those of p.
func (p *linear) setAttrs(n *ir.Node) {
	if p.transB {
		n.Attrs.Set("transB", int64(1))
	}
	if p.act != "" {
		n.Attrs.Set("activation", p.act)
	}
}

// own adds a node in bbgen's own domain.
func (f *fuser) own(n *ir.Node) *ir.Value {
	n.Domain, n.Class, n.Pos = op.Own, f.n.Class, f.n.Pos
	n.Name = f.m.FreshName(f.b.Prefix + n.Op)
	n.Out = []*ir.Value{{Name: n.Name, Def: n}}
	return f.b.Add(n)[0]
}

// trim removes omitted inputs at the end.
func trim(in ...*ir.Value) []*ir.Value {
	for len(in) > 0 && in[len(in)-1] == nil {
		in = in[:len(in)-1]
	}
	return in
}

// isFloat reports whether v has a type in which fused operators compute.
func isFloat(v *ir.Value) bool {
	switch v.Type.Elem {
	case tensor.Float32, tensor.Float64:
		return true
	}
	return false
}
