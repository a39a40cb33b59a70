package onnx

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// funcID identifies an operator or function.
type funcID struct{ domain, name, overload string }

func idOf(f *ir.Func) funcID { return funcID{f.Domain, f.Name, f.Overload} }

// String returns the name of a function as it appears in messages.
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

// check rejects names that would break the lines of messages.
func (id funcID) check(what string) error {
	if id.name == "" {
		return fmt.Errorf("%s has no name", what)
	}
	for _, s := range []string{id.domain, id.name, id.overload} {
		if !isPrintable(s) {
			return fmt.Errorf("%s name %q is not printable", what, s)
		}
	}
	return nil
}

// maxInlined limits the number of nodes after inlining: n functions that call the next one twice expand to
// 2ⁿ.
const maxInlined = 1 << 22

// checkCalls rejects recursive functions, and calls that expand to too many nodes.
func (d *decoder) checkCalls() error {
	sizes := map[*ir.Func]int{} // after inlining
	waits := map[*ir.Func]int{} // number of calls of unknown size
	callers := map[*ir.Func][]*ir.Func{}
	var ready []*ir.Func
	for _, f := range d.m.Funcs {
		f.Body.Walk(func(n *ir.Node) {
			if n.Local {
				waits[f]++
				callers[d.callee(n)] = append(callers[d.callee(n)], f)
			}
		})
		if waits[f] == 0 {
			ready = append(ready, f)
		}
	}
	for len(ready) > 0 {
		f := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		sizes[f] = d.inlined(f.Body, sizes)
		for _, g := range callers[f] {
			if waits[g]--; waits[g] == 0 {
				ready = append(ready, g)
			}
		}
	}
	if len(sizes) < len(d.m.Funcs) {
		return fmt.Errorf("%s calls itself", idOf(d.recursive(waits)))
	}
	total := d.inlined(d.m.Main.Body, sizes)
	for _, t := range d.m.Training { // whose nodes are appended to those of the model
		for _, f := range []*ir.Func{t.Algorithm, t.Init} {
			if f != nil {
				total = min(total+d.inlined(f.Body, sizes), maxInlined)
			}
		}
	}
	if total == maxInlined {
		return fmt.Errorf("calls of functions stand for more than %d nodes", maxInlined)
	}
	return nil
}

// recursive returns a function that calls itself, possibly through others. Each waiting function waits for
// another waiting one, so that following them ends in a cycle.
func (d *decoder) recursive(waits map[*ir.Func]int) *ir.Func {
	next := map[*ir.Func]*ir.Func{}
	var at *ir.Func
	for _, f := range d.m.Funcs {
		if waits[f] == 0 {
			continue
		}
		at = f
		f.Body.Walk(func(n *ir.Node) {
			if n.Local && waits[d.callee(n)] > 0 {
				next[f] = d.callee(n)
			}
		})
	}
	for range d.m.Funcs {
		at = next[at]
	}
	return at
}

func (d *decoder) callee(n *ir.Node) *ir.Func { return d.funcs[funcID{n.Domain, n.Op, n.Over}] }

// inlined counts the nodes of a body after inlining, up to maxInlined.
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
