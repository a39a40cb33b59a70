package pass

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Fold computes what depends on constants alone, with the kernels that peers
// run, and takes away nodes that change nothing. What is no longer read is left
// to [DCE].
var Fold = &Pass{Name: "fold", Run: fold, After: []*Pass{Expand}}

// maxFolded is how many elements a folded constant may have beyond twice what
// it is computed from: expanding a scalar into a large tensor is cheaper when
// the model runs than in its file.
const maxFolded = 1 << 16

// maxFilled is maxFolded for tensors whose elements are all the same, which are
// short in a file.
const maxFilled = 1 << 25

// foldLimit returns how many elements of n's outputs may be folded.
func foldLimit(n *ir.Node) int {
	if n.Is("Expand") && n.In[0].IsConst() && n.In[0].Const.Len() == 1 {
		return maxFilled
	}
	return maxFolded
}

func fold(c *Context, m *ir.Module) error {
	by := map[*ir.Value]*ir.Value{}
	m.Main.Body.Rewrite(func(n *ir.Node) []*ir.Node {
		for i, v := range n.In {
			if to := by[v]; to != nil {
				n.In[i] = to
			}
		}
		if len(n.Syms) == 0 && foldNode(n, foldLimit(n), c) { // types name the symbols that n binds
			return nil
		}
		if unchanged(n) && !contains(m.Main.Body.Results, n.Out[0]) {
			by[n.Out[0]] = n.In[0]
			if n.In[0].Elems == nil && n.In[0].Const == nil {
				n.In[0].Elems, n.In[0].ElemSyms = n.Out[0].Elems, n.Out[0].ElemSyms
			}
			return nil
		}
		return []*ir.Node{n}
	})
	m.Main.Replace(by)
	return nil
}

// unchanged reports whether the node's only output is its first input.
func unchanged(n *ir.Node) bool {
	o := op.Lookup(n)
	if len(n.In) == 0 || n.In[0] == nil || o.Effect || n.Res(0) == nil {
		return false
	}
	for _, v := range n.Out[1:] {
		if v != nil {
			return false
		}
	}
	x, y := n.In[0], n.Out[0]
	if y.ElemSyms != nil || !x.Type.Equal(y.Type) {
		return false
	}
	return o.Alias || o.Noop != nil && o.Noop(n)
}

func contains(vs []*ir.Value, v *ir.Value) bool {
	for _, x := range vs {
		if x == v {
			return true
		}
	}
	return false
}

// foldNode makes the outputs of n constants, if everything that it reads is
// constant and they have at most limit elements more than twice the inputs, and the
// context has room for them; a nil one has.
func foldNode(n *ir.Node, limit int, in *Context) bool {
	if knownElems(n) {
		return true
	}
	o := op.Lookup(n)
	if o == nil || o.Effect || o.Random || o.Flow != op.NoFlow || o.Lower == nil && !o.Alias {
		return false
	}
	if o.Defined(n) || o.Widen && op.Small(n) {
		return false // what Expand makes of it is folded
	}
	if allConst(n.Out) {
		return release(n)
	}
	size := 0
	for _, v := range n.In {
		if v == nil {
			continue
		}
		if v.Const == nil {
			return false
		}
		size += v.Const.Len()
	}
	bytes := 0
	for _, v := range n.Out {
		if v == nil {
			continue
		}
		d := ir.Size(v.Type.Shape)
		if c, ok := d.Const(); v.Type.Kind != ir.Tensor || ok && c > limit+2*size || !ok && len(n.Syms) == 0 {
			return false
		} else if ok {
			bytes += c * v.Type.Elem.Size()
		}
	}
	if !in.takeFolded(bytes) {
		return false
	}
	out, err := eval.Node(n)
	if err != nil {
		return false // the model says so itself when it runs
	}
	for i, v := range n.Out {
		if v == nil {
			continue
		}
		t := out[i].(*tensor.Tensor)
		v.Const, v.Type = t, ir.TensorOf(t.DType, ir.Cs(t.Shape...)...)
		v.Elems, v.ElemSyms = nil, nil
	}
	return release(n)
}

// allConst reports whether inference has made every output a constant.
func allConst(vs []*ir.Value) bool {
	for _, v := range vs {
		if v != nil && v.Const == nil {
			return false
		}
	}
	return true
}

// knownElems makes the only output of n a constant, if inference has found out
// what its elements are.
func knownElems(n *ir.Node) bool {
	if len(n.Out) != 1 || n.Out[0] == nil || n.Out[0].Elems == nil || n.Out[0].Const != nil {
		return false
	}
	v := n.Out[0]
	elems, ok := ir.Static(v.Elems)
	shape, ok2 := v.Type.Static()
	if !ok || !ok2 || op.Lookup(n).Effect {
		return false
	}
	t := tensor.New(v.Type.Elem, shape...)
	if t.Len() != len(elems) {
		return false
	}
	switch d := t.Data.(type) {
	case []int64:
		for i, x := range elems {
			d[i] = int64(x)
		}
	case []int32:
		for i, x := range elems {
			d[i] = int32(x)
		}
	default:
		return false
	}
	v.Const, v.Elems, v.ElemSyms = t, nil, nil // nobody reads symbols of no elements
	return release(n)
}

// release takes the outputs of n out of its hands.
func release(n *ir.Node) bool {
	for _, v := range n.Out {
		if v != nil {
			v.Def = nil
		}
	}
	return true
}
