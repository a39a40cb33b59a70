package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Infer is the context of inference for one node. Its inputs have types.
type Infer struct {
	*ir.Node
	Module *ir.Module

	// Region infers the body of a control flow node; its parameters must have types. The pass that walks the
	// graph sets it.
	Region func(r *ir.Region) error

	syms int         // symbols returned so far
	open []Agreement // sizes that are assumed to be equal
}

// Type returns the type of input i, or the zero Type if it is omitted.
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

// Out sets the type of output i, unless it is omitted.
func (c *Infer) Out(i int, t ir.Type) {
	if v := c.Res(i); v != nil {
		v.Type = t
	}
}

// OutTensor sets the type of output i to a tensor type.
func (c *Infer) OutTensor(i int, elem tensor.DType, shape ...ir.Dim) {
	c.Out(i, ir.TensorOf(elem, shape...))
}

// Same sets the type of output 0 to that of input 0.
func (c *Infer) Same() error {
	t, err := c.Tensor(X)
	c.Out(0, t)
	return err
}

// Fresh returns a symbol for a size that is known only after the node has run. The k-th call for a node
// returns the same symbol each time the node is inferred; a kernel call must return its value (see
// [Lowering.Count]).
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

// FreshAt returns the symbol that the i-th call of [Infer.Fresh] for the node returns.
func (c *Infer) FreshAt(i int, what string) ir.Dim {
	for c.syms <= i {
		c.Fresh(what)
	}
	return ir.Sym(c.Syms[i])
}

// Inner infers the body of a control flow node from the types of its parameters. It forgets known contents,
// which may have been valid for other types only.
func (c *Infer) Inner(r *ir.Region) error {
	r.Values(func(v *ir.Value) { v.Elems, v.ElemSyms = nil, nil })
	return c.Region(r)
}
