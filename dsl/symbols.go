package dsl

import (
	"errors"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// symbol makes a symbol for a size that an author has named.
func (r *recorder) symbol(name string) ir.Dim {
	s := r.m.FreshSym(name)
	r.alias[s] = name
	return ir.Sym(s)
}

// inputType returns the type of an input. Sizes with the same name are the same symbol in the whole module.
func (fn *function) inputType(t Type) (ir.Type, error) {
	return t.make(func(dim any) (ir.Dim, error) {
		d, ok, err := known(dim)
		name, isName := dim.(string)
		switch {
		case ok || err != nil:
			return d, err
		case !isName:
			return fn.r.symbol("n"), nil
		}
		if fn.syms[name] == "" {
			fn.syms[name], _ = fn.r.symbol(name).Symbol()
		}
		return ir.Sym(fn.syms[name]), nil
	})
}

// say records the types of a node's outputs on the node. A size with the name of an input's size is that
// size; the node determines the others.
func (fn *function) say(n *ir.Node, types []Type) error {
	if len(types) == 0 {
		return nil
	}
	own := map[string]ir.Dim{}
	list := make([]string, len(types))
	for i, t := range types {
		if t.isZero() {
			continue
		}
		typ, err := t.make(func(dim any) (ir.Dim, error) { return fn.outputDim(n, own, dim) })
		if err != nil {
			return err
		}
		list[i] = typ.String()
	}
	n.Attrs.Set(peer.TypesAttr, list)
	return nil
}

func (fn *function) outputDim(n *ir.Node, own map[string]ir.Dim, dim any) (ir.Dim, error) {
	d, ok, err := known(dim)
	if ok || err != nil {
		return d, err
	}
	name, isName := dim.(string)
	if isName {
		if d, ok := own[name]; ok {
			return d, nil
		}
		if d, ok := fn.inputAxis(n, name); ok {
			return d, nil
		}
	} else {
		name = "n"
	}
	d = fn.r.symbol(name)
	s, _ := d.Symbol()
	n.Syms = append(n.Syms, s)
	if isName {
		own[name] = d
	}
	return d, nil
}

// inputAxis finds an axis of an input with the author's name for its size.
func (fn *function) inputAxis(n *ir.Node, name string) (ir.Dim, bool) {
	return fn.axis(n, func(sym string) bool { return fn.r.alias[sym] == name || fn.syms[name] == sym })
}

// symbolAxis finds an axis of an input with the symbol as its size.
func (fn *function) symbolAxis(n *ir.Node, sym string) (ir.Dim, bool) {
	return fn.axis(n, func(s string) bool { return s == sym })
}

func (fn *function) axis(n *ir.Node, is func(sym string) bool) (ir.Dim, bool) {
	for i, v := range n.In {
		if v == nil {
			continue
		}
		for axis, d := range v.Type.Shape {
			if s, ok := d.Symbol(); ok && is(s) {
				return ir.Sym(peer.InputAxis(i, axis)), true
			}
		}
	}
	return ir.Dim{}, false
}

// legible returns an error with the author's names of values.
func (r *recorder) legible(err error) error {
	s := err.Error()
	for _, fn := range r.roots {
		s = strings.ReplaceAll(s, `"`+fn.call.Name+"/", `"`)
	}
	return errors.New(s)
}
