package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// epilogueRules merge operations on the result of a product or a convolution into its kernel.
var epilogueRules = rules{
	":Add": {productBias, productResidual, convResidual, affineSum},
	":Sub": {affineSum},

	":Clip":        {productAct, convAct, affineAct},
	":Gelu":        {productAct, convAct, affineAct},
	":HardSigmoid": {productAct, convAct, affineAct},
	":HardSwish":   {productAct, convAct, affineAct},
	":Relu":        {productAct, convAct, affineAct},
	":Sigmoid":     {productAct, convAct, affineAct},
	":Swish":       {productAct, convAct, affineAct},
	":Tanh":        {productAct, convAct, affineAct},

	":MatMul": {transposedProduct, transposedProducts},

	":Softmax": {maskedSoftmax},
	":Where":   {maskedSoftmaxGrad},
	":Div":     {scaledSoftmaxGrad},
	":Mul":     {scaledSoftmaxGrad},
}

// productBias merges a row that is added to a product.
func productBias(f *fuser, n *ir.Node) *ir.Value {
	for i, v := range n.In {
		p := f.product(f.sole(v, linearOps...))
		if p == nil || p.act != "" || p.residual != nil || p.bias != nil || !isRow(n.In[1-i], v) {
			continue
		}
		p.bias = n.In[1-i]
		return f.linear(p)
	}
	return nil
}

// productResidual merges a tensor that is added to a product.
func productResidual(f *fuser, n *ir.Node) *ir.Value {
	for i, v := range n.In {
		p := f.product(f.sole(v, linearOps...))
		if p == nil || p.act != "" || p.residual != nil || !n.In[1-i].Type.Equal(v.Type) {
			continue
		}
		p.residual = n.In[1-i]
		return f.linear(p)
	}
	return nil
}

// productAct merges the function applied to a product.
func productAct(f *fuser, n *ir.Node) *ir.Value {
	p := f.product(f.sole(n.In[op.X], linearOps...))
	act := op.Lookup(n).Act(n)
	if p == nil || p.act != "" || act == "" {
		return nil
	}
	p.act = act
	return f.linear(p)
}

// convResidual merges a tensor that is added to a convolution.
func convResidual(f *fuser, n *ir.Node) *ir.Value {
	for i, v := range n.In {
		d := f.conv(v)
		if d == nil || d.Arg(inResidual) != nil || !n.In[1-i].Type.Equal(v.Type) {
			continue
		}
		return f.own(&ir.Node{Op: "FusedConv", Attrs: slices.Clone(d.Attrs), In: []*ir.Value{d.In[op.X], d.In[inWeights], d.Arg(inBias), n.In[1-i]}})
	}
	return nil
}

// convAct merges the function applied to a convolution.
func convAct(f *fuser, n *ir.Node) *ir.Value {
	d := f.conv(n.In[op.X])
	act := op.Lookup(n).Act(n)
	if d == nil || act == "" {
		return nil
	}
	c := &ir.Node{Op: "FusedConv", Attrs: slices.Clone(d.Attrs), In: d.In}
	c.Attrs.Set("activation", act)
	return f.own(c)
}

// conv returns the convolution that defines v, if v has no other reader and the convolution has no activation
// yet.
func (f *fuser) conv(v *ir.Value) *ir.Node {
	d := f.sole(v, "Conv", "FusedConv")
	if d == nil || !isFloat(v) || d.Has("activation") {
		return nil
	}
	return d
}

// transposedProduct multiplies with a matrix as it is before a Transpose.
func transposedProduct(f *fuser, n *ir.Node) *ir.Value {
	if !isFloat(n.In[op.A]) || len(n.In[op.A].Type.Shape) < 2 || len(n.In[op.B].Type.Shape) != 2 {
		return nil
	}
	x, w := f.untransposed(n.In[op.A]), f.untransposed(n.In[op.B])
	switch {
	case x != nil:
		if w != nil {
			return f.b.OpA("Gemm", op.Attrs("transA", 1, "transB", 1), x, w)
		}
		return f.b.OpA("Gemm", op.Attrs("transA", 1), x, n.In[op.B])
	case w != nil:
		return f.linear(&linear{x: n.In[op.A], b: w, transB: true})
	}
	return nil
}

// untransposed returns the matrix of which v is the transpose, or nil.
func (f *fuser) untransposed(v *ir.Value) *ir.Value {
	d := f.def(v, "Transpose")
	if d == nil || !slices.Equal(permOf(d), []int{1, 0}) {
		return nil
	}
	return d.In[op.X]
}

// transposedProducts is [transposedProduct] for several matrices.
func transposedProducts(f *fuser, n *ir.Node) *ir.Value {
	a, b := n.In[op.A].Type.Shape, n.In[op.B].Type.Shape
	rank := len(b)
	if rank < 3 || len(a) != rank || !ir.SameShape(a[:rank-2], b[:rank-2]) || !isFloat(n.In[op.A]) {
		return nil
	}
	if d := f.def(n.In[op.B], "Transpose"); d != nil && swapsLast(d) {
		return f.own(&ir.Node{Op: "MatMulT", In: []*ir.Value{n.In[op.A], d.In[op.X]}})
	}
	if d := f.def(n.In[op.A], "Transpose"); d != nil && swapsLast(d) {
		return f.own(&ir.Node{Op: "MatMulT", Attrs: op.Attrs("transA", 1), In: []*ir.Value{d.In[op.X], n.In[op.B]}})
	}
	return nil
}
