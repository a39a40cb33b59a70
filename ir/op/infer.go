package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// maxElems bounds the integer tensors whose content inference follows: shapes,
// axes, pads and what is computed from them.
const maxElems = 64

// Infer is what an operator's inference sees: one node whose inputs have types.
type Infer struct {
	*ir.Node
	Module *ir.Module

	// Region infers the body of a control flow node, whose parameters have
	// been given types; it is set by the pass that walks the graph.
	Region func(r *ir.Region) error

	syms int         // symbols handed out so far
	open []Agreement // sizes that were taken for equal, and need not be
}

// Type returns the type of input i; the zero Type if it is left out.
func (c *Infer) Type(i int) ir.Type {
	if v := c.Arg(i); v != nil {
		return v.Type
	}
	return ir.Type{}
}

// Tensor returns the type of input i, which must be a tensor of known rank.
func (c *Infer) Tensor(i int) (ir.Type, error) {
	v := c.Arg(i)
	if v == nil {
		return ir.Type{}, fmt.Errorf("input %d is missing", i)
	}
	if v.Type.Kind != ir.Tensor {
		return ir.Type{}, fmt.Errorf("input %q is %s, want a tensor", v.Name, v.Type)
	}
	if !v.Type.Known() {
		return ir.Type{}, fmt.Errorf("input %q has no known rank", v.Name)
	}
	return v.Type, nil
}

// Rank returns the type of input i, which must be a tensor of the given rank.
func (c *Infer) Rank(i, rank int) (ir.Type, error) {
	t, err := c.Tensor(i)
	if err != nil {
		return t, err
	}
	if len(t.Shape) != rank {
		return t, fmt.Errorf("input %q has rank %d, want %d", c.Arg(i).Name, len(t.Shape), rank)
	}
	return t, nil
}

// CheckElems reports whether the elements of input i are of the set, if it is there.
func (c *Infer) CheckElems(i int, s elemSet) error {
	v := c.Arg(i)
	if v == nil || s.has(v.Type.Elem) {
		return nil
	}
	return fmt.Errorf("input %q is %s, want %s", v.Name, v.Type.Elem, s)
}

// Out gives output i its type; nothing happens if it is left out.
func (c *Infer) Out(i int, t ir.Type) {
	if v := c.Res(i); v != nil {
		v.Type = t
	}
}

// OutTensor gives output i a tensor type.
func (c *Infer) OutTensor(i int, elem tensor.DType, shape ...ir.Dim) {
	c.Out(i, ir.TensorOf(elem, shape...))
}

// Same gives output 0 the type of input 0.
func (c *Infer) Same() error {
	t, err := c.Tensor(0)
	c.Out(0, t)
	return err
}

// Fresh returns a symbol for a size that is known only when the node has run.
// Its k-th call for a node gives the same symbol each time the node is
// inferred; a kernel call must return its value (see [Lowering.Count]).
func (c *Infer) Fresh(what string) ir.Dim {
	if c.syms == len(c.Syms) {
		base := c.Name
		if base == "" && c.Res(0) != nil {
			base = c.Res(0).Name
		}
		c.Syms = append(c.Syms, c.Module.FreshSym(base+"_"+what))
	}
	c.syms++
	return ir.Sym(c.Syms[c.syms-1])
}

// Content returns the elements of integer input i, as far as they are known.
// It is not ok if the input is missing, is no integer vector or scalar, or is
// too long to follow.
func (c *Infer) Content(i int) (elems []ir.Dim, ok bool) { return Content(c.Arg(i)) }

// Content is the known content of a small integer tensor.
func Content(v *ir.Value) (elems []ir.Dim, ok bool) {
	switch {
	case v == nil:
		return nil, false
	case v.Const != nil:
		return constElems(v.Const)
	}
	return v.Elems, v.Elems != nil
}

func constElems(t *tensor.Tensor) ([]ir.Dim, bool) {
	if t.Len() > maxElems || len(t.Shape) > 1 {
		return nil, false
	}
	out := make([]ir.Dim, t.Len())
	switch d := t.Data.(type) {
	case []int64:
		for i, x := range d {
			out[i] = ir.C(int(x))
		}
	case []int32:
		for i, x := range d {
			out[i] = ir.C(int(x))
		}
	default:
		return nil, false
	}
	return out, true
}

// Read returns the elements of integer input i as dims that shapes can be made
// of: what is known of them, and for the rest symbols that are bound when the
// input is computed.
func (c *Infer) Read(i int) ([]ir.Dim, error) {
	if elems, ok := c.Content(i); ok {
		return elems, nil
	}
	v := c.Arg(i)
	if v == nil {
		return nil, fmt.Errorf("input %d is missing", i)
	}
	if !v.Type.Known() || v.Type.Kind != ir.Tensor || len(v.Type.Shape) > 1 {
		return nil, fmt.Errorf("input %q is %s, want an integer vector", v.Name, v.Type)
	}
	if v.Type.Elem != tensor.Int64 && v.Type.Elem != tensor.Int32 {
		return nil, fmt.Errorf("input %q is %s, want int64", v.Name, v.Type)
	}
	n, ok := ir.Size(v.Type.Shape).Const()
	if !ok || n > maxElems {
		return nil, fmt.Errorf("input %q has %s elements, want a known number of at most %d", v.Name, ir.Size(v.Type.Shape), maxElems)
	}
	c.Module.ReadElems(v, n)
	return v.Elems, nil
}

// Consts returns the elements of integer input i, which must be constant.
func (c *Infer) Consts(i int) ([]int, error) {
	v := c.Arg(i)
	elems, ok := c.Content(i)
	if ok {
		if out, ok := ir.Static(elems); ok {
			return out, nil
		}
	}
	if v == nil {
		return nil, fmt.Errorf("input %d is missing", i)
	}
	return nil, fmt.Errorf("input %q must be constant", v.Name)
}

// Know records what is known of the content of output i, a small integer
// tensor.
func (c *Infer) Know(i int, elems []ir.Dim) {
	if slices.ContainsFunc(elems, ir.Dim.TooLong) || slices.ContainsFunc(elems, c.computedFromData) {
		elems = nil
	}
	if v := c.Res(i); v != nil && len(elems) <= maxElems && v.ElemSyms == nil {
		v.Elems = elems
	}
}

// computedFromData reports whether d is computed from elements of tensors. What comes
// out is left to the kernels: such elements may be any integers, of which sums and
// products wrap around at the width of their type.
func (c *Infer) computedFromData(d ir.Dim) bool {
	_, element := d.Symbol()
	return !element && c.Module.FromData(d)
}

// Axis brings an axis into 0 ≤ axis < rank.
func Axis(axis, rank int) (int, error) {
	if axis < -rank || axis >= max(rank, 1) {
		return 0, fmt.Errorf("axis is %d, want -%d to %d", axis, rank, rank-1)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// Broadcast is the shape that shapes broadcast to, by numpy's rules.
func Broadcast(shapes ...[]ir.Dim) ([]ir.Dim, error) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make([]ir.Dim, rank)
	for i := range out {
		out[i] = ir.C(1)
	}
	for _, s := range shapes {
		for i, d := range s {
			o := &out[rank-len(s)+i]
			a, aok := o.Const()
			b, bok := d.Const()
			if aok && bok && a != b && a != 1 && b != 1 {
				return nil, fmt.Errorf("shapes %v do not broadcast", shapes)
			}
			*o = o.Bcast(d)
		}
	}
	return out, nil
}

// number is the content of an integer tensor of one element, if it is known.
func number(v *ir.Value) (ir.Dim, bool) {
	elems, ok := Content(v)
	if !ok || len(elems) != 1 {
		return ir.Dim{}, false
	}
	return elems[0], true
}

// inner infers the body of a control flow node from the types of its
// parameters. What was known of contents may have been true for other types
// only.
func (c *Infer) inner(r *ir.Region) error {
	r.Values(func(v *ir.Value) { v.Elems, v.ElemSyms = nil, nil })
	return c.Region(r)
}

// source is the value that v is another name of.
func source(v *ir.Value) *ir.Value {
	for v != nil && v.Def.Is("Identity") && v.Def.Arg(0) != nil {
		v = v.Def.In[0]
	}
	return v
}

// index is the type of input i, which must hold indices.
func (c *Infer) index(i int) (ir.Type, error) {
	t, err := c.Tensor(i)
	if err == nil && t.Elem != tensor.Int64 && t.Elem != tensor.Int32 {
		err = fmt.Errorf("input %q is %s, want int64 or int32 indices", c.In[i].Name, t)
	}
	return t, err
}

// numbered is the node's symbol of a number, as [Infer.Fresh] makes them.
func (c *Infer) numbered(i int, what string) ir.Dim {
	for c.syms <= i {
		c.Fresh(what)
	}
	return ir.Sym(c.Syms[i])
}

// knownBools is the content of a bool vector, as far as it is known.
func knownBools(v *ir.Value) ([]bool, bool) {
	if v.Const != nil {
		d, ok := v.Const.Data.([]bool)
		return d, ok && len(v.Const.Shape) <= 1 && len(d) <= maxElems
	}
	out := make([]bool, len(v.Elems))
	for i, d := range v.Elems {
		n, ok := d.Const()
		if !ok {
			return nil, false
		}
		out[i] = n != 0
	}
	return out, v.Elems != nil
}
