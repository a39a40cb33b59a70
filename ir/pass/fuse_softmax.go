package pass

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// maskedSoftmax merges a mask and a factor into a softmax of rows.
func maskedSoftmax(f *fuser, n *ir.Node) *ir.Value {
	w := f.sole(n.In[op.X], "Where")
	rank := len(n.In[op.X].Type.Shape)
	if axis := n.Int("axis"); w == nil || axis != -1 && axis != rank-1 || n.Has("flat") || !isFloat(n.In[op.X]) {
		return nil
	}
	hidden, ok := scalar(w.In[inElse])
	if !ok || !w.In[inThen].Type.Equal(n.In[op.X].Type) {
		return nil
	}
	scale, x := 1.0, w.In[inThen]
	if c, xs := f.factorsOf(x); len(xs) == 1 && xs[0].Type.Equal(x.Type) {
		scale, x = c, xs[0]
	}
	attrs := op.Attrs("scale", stored(scale, x), "hidden", hidden)
	return f.own(&ir.Node{Op: "MaskedSoftmax", Attrs: attrs, In: []*ir.Value{x, w.In[inCondition]}})
}

// maskedSoftmaxGrad merges a mask into the gradient of a softmax of rows.
func maskedSoftmaxGrad(f *fuser, n *ir.Node) *ir.Value {
	g := f.sole(n.In[inThen], "SoftmaxGrad")
	if g == nil || !isConst(n.In[inElse], 0) || !n.In[inThen].Type.Equal(n.Out[0].Type) || !isFloat(g.In[inDy]) || !g.In[inY].Type.Equal(g.In[inDy].Type) {
		return nil
	}
	rank := len(g.In[inDy].Type.Shape)
	if axis := g.Int("axis"); axis != -1 && axis != rank-1 || g.Has("flat") {
		return nil
	}
	return f.own(&ir.Node{Op: "MaskedSoftmaxGrad", In: []*ir.Value{g.In[inDy], g.In[inY], n.In[inCondition]}})
}

// scaledSoftmaxGrad merges a factor into the gradient of a softmax.
func scaledSoftmaxGrad(f *fuser, n *ir.Node) *ir.Value {
	c, xs := f.factors(n)
	if len(xs) != 1 {
		return nil
	}
	g := f.sole(xs[0], "MaskedSoftmaxGrad")
	if g == nil || g.Domain != op.Own || g.Has("scale") {
		return nil
	}
	attrs := op.Attrs("scale", stored(c, g.In[inDy]))
	return f.own(&ir.Node{Op: "MaskedSoftmaxGrad", Attrs: attrs, In: g.In})
}
