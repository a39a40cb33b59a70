package onnx

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// funcID is what a node calls a function by.
type funcID struct{ domain, name, overload string }

// maxInlined bounds how many nodes there are when every call has been replaced
// by the function's body: functions that call each other twice make 2ⁿ.
const maxInlined = 1 << 22

// declareFuncs lists the model's functions, so that calls are recognised
// wherever they stand.
func (d *decoder) declareFuncs() error {
	for _, p := range d.p.Functions {
		f := &ir.Func{Name: p.GetName(), Domain: domain(p.GetDomain()), Overload: p.GetOverload()}
		for _, s := range []string{f.Name, f.Domain, f.Overload} {
			if err := checkPrintable("function name", s); err != nil {
				return err
			}
		}
		id := funcID{f.Domain, f.Name, f.Overload}
		switch {
		case f.Name == "":
			return fmt.Errorf("a function has no name")
		case d.funcs[id] != nil:
			return fmt.Errorf("%s is defined twice", id)
		}
		d.funcs[id] = f
		d.m.Funcs = append(d.m.Funcs, f)
	}
	return nil
}

// String names a function as messages do.
func (id funcID) String() string {
	s := id.name
	if id.domain != "" {
		s = id.domain + ":" + s
	}
	if id.overload != "" {
		s += ":" + id.overload
	}
	return fmt.Sprintf("function %q", s)
}

func idOf(f *ir.Func) funcID { return funcID{f.Domain, f.Name, f.Overload} }

// functions reads the bodies of the functions.
func (d *decoder) functions() error {
	for i, p := range d.p.Functions {
		if err := d.function(d.m.Funcs[i], p); err != nil {
			return fmt.Errorf("%s: %w", idOf(d.m.Funcs[i]), err)
		}
	}
	return d.checkCalls()
}

func (d *decoder) function(f *ir.Func, p *onnxpb.FunctionProto) (err error) {
	if f.Opsets, err = opsets(p.OpsetImport); err != nil {
		return err
	}
	d.opsets = f.Opsets
	if err := d.formalAttrs(f, p); err != nil {
		return err
	}
	s := newScope(nil)
	f.Body = &ir.Region{}
	for _, name := range p.Input {
		v := &ir.Value{Name: d.values.fresh(printable(name))}
		if err := s.define(name, v); err != nil {
			return fmt.Errorf("input %w", err)
		}
		f.Body.Params = append(f.Body.Params, v)
	}
	d.depth = 1
	f.Body.Nodes, err = d.body(p.Node, s)
	d.depth = 0
	if err != nil {
		return err
	}
	for _, name := range p.Output {
		v := s.lookup(name)
		if v == nil {
			return fmt.Errorf("output %q is not defined", name)
		}
		f.Body.Results = append(f.Body.Results, v)
	}
	return nil
}

// formalAttrs reads the names of the attributes that a caller gives, and the
// values of those that it may leave out.
func (d *decoder) formalAttrs(f *ir.Func, p *onnxpb.FunctionProto) error {
	seen := map[string]bool{}
	declare := func(name string) error {
		switch {
		case name == "":
			return fmt.Errorf("an attribute has no name")
		case seen[name]:
			return fmt.Errorf("attribute %q is declared twice", name)
		}
		seen[name] = true
		return checkPrintable("attribute", name)
	}
	for _, name := range p.Attribute {
		if err := declare(name); err != nil {
			return err
		}
		f.Attrs = append(f.Attrs, name)
	}
	for _, a := range p.AttributeProto {
		if err := declare(a.GetName()); err != nil {
			return err
		}
		v, err := d.attrValue(a)
		if err != nil {
			return fmt.Errorf("attribute %q: %w", a.GetName(), err)
		}
		f.Attrs = append(f.Attrs, a.GetName())
		f.Defaults.Set(a.GetName(), v)
	}
	return nil
}

// checkCalls refuses functions that call themselves, and calls that would make
// too many nodes.
func (d *decoder) checkCalls() error {
	index := map[*ir.Func]int{}
	for i, f := range d.m.Funcs {
		index[f] = i
	}
	calls := make([][]int, len(d.m.Funcs))
	for i, f := range d.m.Funcs {
		f.Body.Walk(func(n *ir.Node) {
			if n.Local {
				calls[i] = append(calls[i], index[d.callee(n)])
			}
		})
	}
	seq, bad := order(calls)
	if bad >= 0 {
		return fmt.Errorf("%s calls itself", idOf(d.m.Funcs[bad]))
	}
	sizes := make(map[*ir.Func]int, len(seq))
	for _, i := range seq {
		sizes[d.m.Funcs[i]] = d.inlined(d.m.Funcs[i].Body, sizes)
	}
	if n := d.inlined(d.m.Main.Body, sizes); n >= maxInlined {
		return fmt.Errorf("calls of functions stand for more than %d nodes", maxInlined)
	}
	return nil
}

func (d *decoder) callee(n *ir.Node) *ir.Func { return d.funcs[funcID{n.Domain, n.Op, n.Over}] }

// inlined counts the nodes of a body whose calls are replaced, up to maxInlined.
func (d *decoder) inlined(r *ir.Region, sizes map[*ir.Func]int) int {
	total := 0
	r.Walk(func(n *ir.Node) {
		if total++; n.Local {
			total += sizes[d.callee(n)]
		}
		total = min(total, maxInlined)
	})
	return total
}
