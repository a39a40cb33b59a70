package pass

import (
	"errors"
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Fold computes nodes that depend only on constants, with the same kernels as at run time, and removes nodes
// that change nothing. It leaves unused nodes to [DCE].
var Fold = &Pass{Name: "fold", Run: fold, After: []*Pass{Expand}}

// maxFolded is the largest number of elements of a folded constant beyond twice the number in its inputs:
// expanding a scalar into a large tensor is cheaper at run time than in the file.
const maxFolded = 1 << 16

// roomPart is the part of the bytes of a module's constants that larger ones may have together, such as an attention's biases,
// which would be gathered in each run.
const roomPart = 16

// maxFilled replaces maxFolded for tensors of equal elements, which are short in a file.
const maxFilled = 1 << 25

// maxFoldedText limits the bytes of the strings in a folded constant: one character joined with itself forty times is
// a string of a terabyte.
const maxFoldedText = 1 << 24

// maxFoldedWork limits the arithmetic operations of a folded node, and of all that are folded in a context: large constants
// of equal elements are short in a file, and their products could take hours.
const maxFoldedWork = min(1<<33, math.MaxInt-1)

// foldLimit returns the number of elements of n's outputs that may be folded.
func foldLimit(n *ir.Node) int {
	if n.Is("Expand") && n.In[op.X].IsConst() && n.In[op.X].Const.Len() == 1 {
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
		if len(n.Syms) == 0 && (foldNode(n, foldLimit(n), c) || c.foldLarge(n)) { // types refer to the symbols that n binds
			return nil
		}
		if unchanged(n) && !slices.Contains(m.Main.Body.Results, n.Out[0]) {
			by[n.Out[0]] = n.In[op.X]
			if n.In[op.X].Elems == nil && n.In[op.X].Const == nil {
				n.In[op.X].Elems, n.In[op.X].ElemSyms = n.Out[0].Elems, n.Out[0].ElemSyms
			}
			return nil
		}
		return []*ir.Node{n}
	})
	m.Main.Replace(by)
	return nil
}

// foldLarge folds a node whose outputs are larger than [maxFolded] allows, as far as there is room. What only repeats a value is
// not worth it.
func (c *Context) foldLarge(n *ir.Node) bool {
	if o := op.Lookup(n); c == nil || o == nil || o.Repeats || len(n.Out) != 1 {
		return false
	}
	y := n.Out[0]
	limit := c.room / max(y.Type.Elem.Size(), 1)
	if limit <= maxFolded || !foldNode(n, limit, c) {
		return false
	}
	c.room -= y.Const.Len() * y.Const.DType.Size()
	return true
}

// unchanged reports whether the node's only output is its first input.
func unchanged(n *ir.Node) bool {
	o := op.Lookup(n)
	if len(n.In) == 0 || n.In[op.X] == nil || o.Effect || n.Res(0) == nil {
		return false
	}
	for _, v := range n.Out[1:] {
		if v != nil {
			return false
		}
	}
	x, y := n.In[op.X], n.Out[0]
	if y.ElemSyms != nil || !x.Type.Equal(y.Type) {
		return false
	}
	return o.Alias || o.Noop != nil && o.Noop(n)
}

// foldNode makes the outputs of n constants, if all its inputs are constant, the outputs have at most limit
// elements more than twice the inputs, and the context has room for them. A nil context has unlimited room.
func foldNode(n *ir.Node, limit int, in *Context) bool {
	if knownElems(n) {
		return true
	}
	o := op.Lookup(n)
	if o == nil || o.Effect || o.Random || o.Flow != op.NoFlow || o.Lower == nil && !o.Alias {
		return false
	}
	if o.Defined(n) || o.Widen && op.Small(n) {
		return false // the result of Expand is folded instead
	}
	if allConst(n.Out) {
		return release(n)
	}
	if bytes, ok := foldedBytes(n, limit); !ok || foldedText(n) > maxFoldedText || !in.takeWork(o.Work(n)) || !in.takeFolded(bytes) {
		return false
	}
	out, err := eval.NodeWithin(n, foldedLimits(n))
	if err != nil {
		return false // the error is left to the model at run time
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

// maxCounted limits the bytes that a node needs if only its kernel counts the elements of its outputs.
const maxCounted = 1 << 28

// foldedLimits limits the memory of a node as far as [foldedBytes] does not.
func foldedLimits(n *ir.Node) eval.Limits {
	if len(n.Syms) == 0 {
		return eval.Limits{}
	}
	left := maxCounted
	return eval.Limits{Take: func(bytes int) error {
		if bytes > left {
			return errTooLarge
		}
		left -= bytes
		return nil
	}}
}

var errTooLarge = errors.New("the result is too large for a constant")

// foldedBytes returns the size of the outputs of a node, as far as it is known before the node is computed. It is
// not ok if an input is no constant, or if an output is no tensor, or has more than limit elements beyond twice the
// inputs.
func foldedBytes(n *ir.Node, limit int) (bytes int, ok bool) {
	size := 0
	for _, v := range n.In {
		if v == nil {
			continue
		}
		if v.Const == nil {
			return 0, false
		}
		size += v.Const.Len()
	}
	for _, v := range n.Out {
		if v == nil {
			continue
		}
		d := ir.Size(v.Type.Shape)
		if c, fixed := d.Const(); v.Type.Kind != ir.Tensor || fixed && c > limit+2*size || !fixed && len(n.Syms) == 0 {
			return 0, false
		} else if fixed {
			bytes += c * v.Type.Elem.Size()
		}
	}
	return bytes, true
}

// foldedText returns a number of bytes that the strings in the outputs of a node with constant inputs do not exceed.
func foldedText(n *ir.Node) int {
	longest := 0 // of a string, which may be joined of one of each input
	for _, v := range n.In {
		if v == nil || v.Const == nil || v.Const.DType != tensor.String {
			continue
		}
		most := 0
		for _, s := range tensor.Data[string](v.Const) {
			most = max(most, len(s))
		}
		longest += most
	}
	size := ir.C(0)
	for _, v := range n.Out {
		if v != nil && v.Type.Kind == ir.Tensor && v.Type.Elem == tensor.String {
			size = size.Add(ir.Size(v.Type.Shape).Mul(ir.C(longest)))
		}
	}
	bytes, _ := size.Const()
	return bytes
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

// knownElems makes the only output of n a constant, if inference knows all its elements.
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
	v.Const, v.Elems, v.ElemSyms = t, nil, nil // no shape depends on symbols of no elements
	return release(n)
}

// release detaches the outputs of n from it.
func release(n *ir.Node) bool {
	for _, v := range n.Out {
		if v != nil {
			v.Def = nil
		}
	}
	return true
}
