package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// shapeRules simplify nodes that move no data, or move them twice.
var shapeRules = rules{
	":Transpose": {transposeTwice, transposeOnes, transposeSmaller},
	":Reshape":   {sameShape, reshapeProduct, reshapeTwice, reshapeMatrices},
	":Squeeze":   {sameShape},
	":Unsqueeze": {sameShape},
	":Flatten":   {sameShape, reshapeProduct},
	":Concat":    {concatOne},
	":Gather":    {gatherOnly},

	":Sum": {sumOfTwo},
	"":     {unexpanded},

	":AveragePool": {padInto},
	":Conv":        {padInto},
	":MaxPool":     {padInto},
}

// sumOfTwo converts a Sum of two to an Add, which other rules recognize.
func sumOfTwo(f *fuser, n *ir.Node) *ir.Value {
	if len(n.In) != 2 {
		return nil
	}
	return f.b.Op("Add", n.In...)
}

// unexpanded removes an Expand if the operator that reads it can broadcast.
func unexpanded(f *fuser, n *ir.Node) *ir.Value {
	if !op.Lookup(n).Broadcasts {
		return nil
	}
	for i, v := range n.In {
		d := f.def(v, "Expand")
		if d == nil {
			continue
		}
		in := slices.Clone(n.In)
		in[i] = d.In[op.X]
		var shapes [][]ir.Dim
		for _, x := range in {
			shapes = append(shapes, x.Type.Shape)
		}
		if s, err := op.Broadcast(shapes...); err == nil && ir.SameShape(s, n.Out[0].Type.Shape) {
			return f.b.OpA(n.Op, n.Attrs, in...)
		}
	}
	return nil
}

// transposeTwice merges two Transposes, or removes both if the second inverts the first. If the first has
// other readers, and the second transposes its matrices, products can read the first instead: see
// [transposedProducts].
func transposeTwice(f *fuser, n *ir.Node) *ir.Value {
	d := f.def(n.In[op.X], "Transpose")
	if d == nil {
		return nil
	}
	first, perm, still := permOf(d), permOf(n), true
	for i, p := range perm {
		perm[i] = first[p]
		still = still && perm[i] == i
	}
	switch {
	case still:
		return d.In[op.X]
	case f.uses[n.In[op.X]] > 1 && swapsLast(n):
		return nil
	}
	return transpose(f.b, d.In[op.X], perm)
}

// transposeOnes replaces a Transpose that only moves axes of size 1 by a Reshape.
func transposeOnes(f *fuser, n *ir.Node) *ir.Value {
	last := -1
	for _, p := range permOf(n) {
		if n.In[op.X].Type.Shape[p].Is(1) {
			continue
		}
		if p < last {
			return nil
		}
		last = p
	}
	return f.reshape(n.In[op.X], n.Out[0].Type.Shape)
}

// unshaped returns the value from which v is reshaped, possibly several times.
func (f *fuser) unshaped(v *ir.Value) *ir.Value {
	for d := f.def(v, "Reshape", "Squeeze", "Unsqueeze", "Flatten"); d != nil; {
		v = d.In[op.X]
		d = f.def(v, "Reshape", "Squeeze", "Unsqueeze", "Flatten")
	}
	return v
}

// sameShape removes nodes that restore a previous shape.
func sameShape(f *fuser, n *ir.Node) *ir.Value {
	y := n.Out[0]
	if y.Elems != nil {
		return nil
	}
	for v := n.In[op.X]; ; {
		if v.Type.Equal(y.Type) {
			return v
		}
		d := f.def(v, "Reshape", "Squeeze", "Unsqueeze", "Flatten")
		if d == nil {
			return nil
		}
		v = d.In[op.X]
	}
}

// reshapeTwice removes nodes before a Reshape that only change the shape.
func reshapeTwice(f *fuser, n *ir.Node) *ir.Value {
	x := f.unshaped(n.In[op.X])
	to, ok := op.Content(n.In[inShape])
	if x == n.In[op.X] || !ok || n.Out[0].Elems != nil {
		return nil
	}
	shape, ok := ir.Static(to)
	if !ok || slices.Contains(shape, 0) {
		return nil
	}
	return f.b.OpA("Reshape", n.Attrs, x, n.In[inShape])
}

// reshapeProduct moves a Reshape that keeps the columns of a product before it, where it often cancels out.
func reshapeProduct(f *fuser, n *ir.Node) *ir.Value {
	p := f.product(f.sole(n.In[op.X], linearOps...))
	y := n.Out[0].Type.Shape
	if p == nil || p.residual != nil || len(y) < 2 || len(y) == len(n.In[op.X].Type.Shape) {
		return nil
	}
	if cols := n.In[op.X].Type.Shape; !cols[len(cols)-1].Equal(y[len(y)-1]) {
		return nil
	}
	rows := slices.Clone(y)
	rows[len(y)-1] = p.x.Type.Shape[len(p.x.Type.Shape)-1]
	x := f.unshaped(p.x)
	if !ir.SameShape(x.Type.Shape, rows) {
		x = p.x
	}
	if x = f.reshape(x, rows); x == nil {
		return nil
	}
	p.x = x
	return f.linear(p)
}

// reshapeMatrices merges the Reshapes before and behind a Transpose of matrices into one before it, if both change only the axes
// before the matrices: PyTorch's exporter writes the transpose of attention's keys with one axis for all heads.
func reshapeMatrices(f *fuser, n *ir.Node) *ir.Value {
	t := f.sole(n.In[op.X], "Transpose")
	if t == nil || n.Out[0].Elems != nil || !swapsLast(t) {
		return nil
	}
	x, y, from := f.unshaped(t.In[op.X]), slices.Clone(n.Out[0].Type.Shape), n.In[op.X].Type.Shape
	k := len(y)
	if x == t.In[op.X] || k < 2 || !ir.SameShape(y[k-2:], from[len(from)-2:]) {
		return nil
	}
	y[k-2], y[k-1] = y[k-1], y[k-2]
	if x = f.reshape(x, y); x == nil {
		return nil
	}
	return transpose(f.b, x, swapLast(k))
}

// gatherOnly replaces a Gather of the only element of an axis by a Reshape.
func gatherOnly(f *fuser, n *ir.Node) *ir.Value {
	part, ok := partOf(n.Out[0])
	if !ok || part.at != 0 || !part.x.Type.Shape[part.axis].Is(1) || n.Out[0].Elems != nil {
		return nil
	}
	return f.reshape(part.x, n.Out[0].Type.Shape)
}

// concatOne removes a Concat with one input.
func concatOne(f *fuser, n *ir.Node) *ir.Value {
	if len(n.In) == 1 && n.Out[0].Elems == nil {
		return n.In[op.X]
	}
	return nil
}
