package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// MaxElems limits the size of integer tensors with content that inference tracks: shapes, axes, pads, and
// values computed from them.
const MaxElems = 64

// Content returns the elements of integer input i, as far as they are known. It is not ok if the input is
// missing, is not an integer vector or scalar, or is too long.
func (c *Infer) Content(i int) (elems []ir.Dim, ok bool) { return Content(c.Arg(i)) }

// Content returns the known content of a small integer tensor.
func Content(v *ir.Value) (elems []ir.Dim, ok bool) {
	switch {
	case v == nil:
		return nil, false
	case v.Const != nil:
		return constElems(v.Const)
	}
	return v.Elems, v.Elems != nil
}

// constElems returns the content of a constant, if it is a small integer vector or scalar.
func constElems(t *tensor.Tensor) ([]ir.Dim, bool) {
	if t.Len() > MaxElems || len(t.Shape) > 1 {
		return nil, false
	}
	out := make([]ir.Dim, t.Len())
	switch d := t.Data.(type) {
	case []int64:
		for i, x := range d {
			out[i] = ir.C(ir.Int(x))
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

// KnownInteger returns the content of an integer tensor of one element, if it is known.
func KnownInteger(v *ir.Value) (ir.Dim, bool) {
	elems, ok := Content(v)
	if !ok || len(elems) != 1 {
		return ir.Dim{}, false
	}
	return elems[0], true
}

// KnownBools returns the content of a bool vector, as far as it is known.
func KnownBools(v *ir.Value) ([]bool, bool) {
	if v.Const != nil {
		d, ok := v.Const.Data.([]bool)
		return d, ok && len(v.Const.Shape) <= 1 && len(d) <= MaxElems
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

// Source returns the value that v is a copy of, or v itself.
func Source(v *ir.Value) *ir.Value {
	for v != nil && v.Def.Is("Identity") && v.Def.Arg(X) != nil {
		v = v.Def.In[X]
	}
	return v
}

// Read returns the elements of integer input i as dims: the known ones, and symbols for the others, which are
// bound when the input is computed.
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
	if !ok || n > MaxElems {
		return nil, fmt.Errorf("input %q has %s elements, want a known number of at most %d", v.Name, ir.Size(v.Type.Shape), MaxElems)
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

// Know records the known content of output i, a small integer tensor.
func (c *Infer) Know(i int, elems []ir.Dim) {
	if slices.ContainsFunc(elems, ir.Dim.TooLong) || slices.ContainsFunc(elems, c.computedFromData) {
		elems = nil
	}
	if v := c.Res(i); v != nil && len(elems) <= MaxElems && v.ElemSyms == nil {
		v.Elems = elems
	}
}

// computedFromData reports whether d is computed from elements of tensors. Its value is left to the kernels:
// such elements may be any integers, and their sums and products wrap around at the width of their type.
func (c *Infer) computedFromData(d ir.Dim) bool {
	_, element := d.Symbol()
	return !element && c.Module.FromData(d)
}
