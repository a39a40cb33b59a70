package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// declareFuncs lists the model's functions, so that calls are recognized everywhere.
func (d *decoder) declareFuncs() error {
	for _, p := range d.p.Functions {
		id := funcID{domain(p.GetDomain()), p.GetName(), p.GetOverload()}
		if err := id.check("function"); err != nil {
			return err
		}
		if f := d.funcs[id]; f != nil {
			return fmt.Errorf("%s is defined twice", f)
		}
		f := &ir.Func{Name: id.name, Domain: id.domain, Overload: id.overload}
		d.funcs[id] = f
		d.m.Funcs = append(d.m.Funcs, f)
	}
	return nil
}

// functions reads the bodies of the functions.
func (d *decoder) functions() error {
	for i, p := range d.p.Functions {
		if err := d.function(d.m.Funcs[i], p); err != nil {
			return fmt.Errorf("%s: %w", d.m.Funcs[i], err)
		}
	}
	return d.m.CheckCalls()
}

func (d *decoder) function(f *ir.Func, p *onnxpb.FunctionProto) (err error) {
	if f.Opsets, err = opsets(p.OpsetImport); err != nil {
		return err
	}
	d.opsets = f.Opsets
	if d.formal, err = d.formalAttrs(f, p); err != nil {
		return err
	}
	d.depth = 1 // the body is at the same depth as the model's graph
	defer func() { d.formal, d.depth = nil, 0 }()
	s := newScope(nil)
	f.Body = &ir.Region{}
	for _, name := range p.Input {
		if name == "" {
			return errors.New("an input has no name")
		}
		v := &ir.Value{Name: d.values.fresh(printable(name))}
		if err := s.define(name, v); err != nil {
			return fmt.Errorf("input %w", err)
		}
		f.Body.Params = append(f.Body.Params, v)
	}
	if f.Body.Nodes, err = d.body(p.Node, s); err != nil {
		return err
	}
	for _, name := range p.Output {
		v := s.lookup(name)
		if v == nil {
			return fmt.Errorf("output %q is not defined", name)
		}
		f.Body.Results = append(f.Body.Results, v)
	}
	if err := d.hints(s, p.ValueInfo); err != nil {
		return err
	}
	return f.Body.Sort()
}

// formalAttrs reads the names of the attributes that a caller gives, and the values of those with defaults.
func (d *decoder) formalAttrs(f *ir.Func, p *onnxpb.FunctionProto) (formal map[string]bool, err error) {
	f.Attrs = slices.Clone(p.Attribute)
	for _, a := range p.AttributeProto {
		f.Attrs = append(f.Attrs, a.GetName())
	}
	if formal, err = attrNames(f.Attrs); err != nil {
		return nil, err
	}
	for _, a := range p.AttributeProto {
		v, err := d.attrValue(a)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.GetName(), err)
		}
		f.Defaults.Set(a.GetName(), v)
	}
	return formal, nil
}
