package ir

import (
	"errors"
	"fmt"
	"maps"
)

// VerifyShapes checks the rules for modules with inferred types, in addition to those of [Verify]:
//
//   - every value has a known type;
//   - every symbol in the shape of a tensor, or in its Elems, has a value when
//     the tensor is defined: it is the size of an axis of a parameter or state
//     that is visible there, or one of Syms or ElemSyms at or before the
//     definition.
//
// Local functions are not checked, as their types depend on the caller.
//
// NB: symbols inside sequences and optionals describe their elements, and need no binding.
func VerifyShapes(m *Module) error {
	v := &shapeVerifier{m: m}
	for _, s := range m.Main.State {
		v.params = append(v.params, s.Param)
	}
	v.region(m.Main.Body, map[string]bool{})
	return errors.Join(v.errs...)
}

type shapeVerifier struct {
	m      *Module
	params []*Value // of the next region
	errs   []error
}

func (v *shapeVerifier) region(r *Region, bound map[string]bool) {
	params := append(v.params, r.Params...)
	v.params = nil
	for _, p := range params {
		bindAxes(p, bound)
	}
	for _, p := range params {
		v.check(nil, p, bound)
	}
	for _, n := range r.Nodes {
		for _, in := range n.Regions {
			v.region(in, maps.Clone(bound))
		}
		for _, s := range n.Syms {
			bound[s] = true
		}
		for _, x := range n.Out {
			if x != nil {
				v.check(n, x, bound)
			}
		}
	}
}

// bindAxes binds the symbols that are axes of a parameter.
func bindAxes(p *Value, bound map[string]bool) {
	for _, d := range p.Type.Shape {
		if s, ok := d.Symbol(); ok {
			bound[s] = true
		}
	}
}

func (v *shapeVerifier) check(n *Node, x *Value, bound map[string]bool) {
	where := fmt.Sprintf("func @%s: ", qualified(v.m.Main.Domain, v.m.Main.Name))
	if n != nil {
		where += n.String() + ": "
	}
	if !x.Type.Known() {
		v.errs = append(v.errs, fmt.Errorf("%svalue %s has type %s, which says too little", where, valueText(x), x.Type))
		return
	}
	for _, s := range x.ElemSyms {
		if s != "" {
			bound[s] = true
		}
	}
	missing := func(sym string) {
		if !bound[sym] {
			bound[sym] = true // report it once
			v.errs = append(v.errs, fmt.Errorf("%svalue %s is %s%s, but nothing gives %s a value", where, valueText(x), x.Type, elemsSuffix(x), quoteName(sym)))
		}
	}
	for _, d := range x.Type.Shape {
		d.Syms(missing)
	}
	for _, d := range x.Elems {
		d.Syms(missing)
	}
}
