package codegen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

// site is a printed call of a kernel, a chain or a block.
type site struct {
	call   string    // as in Go: cpu.Gather, c.layers
	step   plan.Step // a Call, a Chain, a Rolled, or a Copy of a list or a map
	within any       // the method that contains it: a *blockNames, a *chainType, or nil for the run
	line   int
}

// note records a printed call, in the order of the file.
func (e *emitter) note(call string, step plan.Step) {
	if e.marks != nil { // a profile is not a run
		return
	}
	s := &site{call: call, step: step}
	switch {
	case e.chain != nil:
		s.within = e.chain
	case e.within != nil:
		s.within = e.within
	}
	e.sites = append(e.sites, s)
}

// locate finds the lines of the recorded calls in src.
func (e *emitter) locate(src []byte) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, 0)
	if err != nil {
		return err
	}
	left := e.sites
	ast.Inspect(f, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || len(left) == 0 {
			return true
		}
		if fn, ok := c.Fun.(*ast.SelectorExpr); ok {
			if x, ok := fn.X.(*ast.Ident); ok && x.Name+"."+fn.Sel.Name == left[0].call {
				left[0].line = fset.Position(c.Rparen).Line
				left = left[1:]
			}
		}
		return true
	})
	if len(left) > 0 {
		return fmt.Errorf("BUG: the call of %s is not where it was printed", left[0].call)
	}
	return nil
}

// fails reports whether the plan can fail because of its data.
func (e *emitter) fails() bool {
	return e.has(func(s plan.Step) bool { return len(failing(s)) > 0 })
}

// calls reports whether the plan calls a kernel outside of chains.
func (e *emitter) calls(kernel string) bool {
	return e.has(func(s plan.Step) bool {
		if r, ok := s.(*plan.Rolled); ok {
			return slices.ContainsFunc(r.Steps, func(s plan.Step) bool { return isCall(s, kernel) })
		}
		return isCall(s, kernel)
	})
}

func isCall(s plan.Step, kernel string) bool {
	c, ok := s.(*plan.Call)
	return ok && c.Kernel == kernel
}

// has reports whether f is true for a step of the plan.
func (e *emitter) has(f func(s plan.Step) bool) bool {
	found := false
	var look func(steps []plan.Step)
	look = func(steps []plan.Step) {
		for _, s := range steps {
			found = found || f(s)
			for _, body := range plan.Bodies(s) {
				look(body)
			}
		}
	}
	look(e.p.Steps)
	return found
}

// failing returns the calls of a step that can fail because of their data.
func failing(s plan.Step) (calls []*plan.Call) {
	for _, c := range plan.Calls(s) {
		if plan.Fails(c) {
			calls = append(calls, c)
		}
	}
	return calls
}

// failure is a node that can fail because of its data, and the lines that lead to it, from the innermost
// outward.
type failure struct {
	node *ir.Node
	at   string
}

// failures returns the failures of the plan, after its calls have been located in a file.
func (e *emitter) failures(file string) (out []failure) {
	inner := map[any][]*site{}
	for _, s := range e.sites {
		inner[s.within] = append(inner[s.within], s)
	}
	for _, s := range inner[nil] {
		for _, f := range e.failuresAt(s, s.step, inner) {
			out = append(out, failure{f.node, file + f.at})
		}
	}
	return out
}

// failuresAt returns the failures of a step that a printed call computes. A block or a chain adds its own
// lines, which are the same for all steps that share it.
func (e *emitter) failuresAt(at *site, s plan.Step, inner map[any][]*site) (out []failure) {
	line := fmt.Sprint(":", at.line)
	var lines []*site
	var calls []plan.Step
	switch s := s.(type) {
	case *plan.Call:
		if plan.Fails(s) {
			return []failure{{s.Node, line}}
		}
	case *plan.Chain:
		lines = inner[e.chains[at.step.(*plan.Chain)]]
		for _, c := range s.Calls {
			calls = append(calls, c)
		}
	case *plan.Rolled:
		lines, calls = inner[e.blocks[s.Block]], computing(s.Steps)
	case *plan.Copy: // a list or a map is copied whatever it holds
	default:
		panic(fmt.Sprintf("BUG: a step of type %T is printed as a call", s))
	}
	for i, c := range calls {
		for _, f := range e.failuresAt(lines[i], c, inner) {
			out = append(out, failure{f.node, f.at + line})
		}
	}
	return out
}

// computing returns the steps that are printed as calls of kernels.
func computing(steps []plan.Step) (out []plan.Step) {
	for _, s := range steps {
		if len(plan.Calls(s)) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// emitSites emits the table of calls that can fail because of their data.
func emitSites(f *jen.File, all []failure) {
	f.Comment("failing are the calls that data can make fail: the nodes that they compute, and their lines.")
	f.Var().Id("failing").Op("=").Index().Qual(pkgFault, "Site").CustomFunc(multiline, func(g *jen.Group) {
		for _, x := range all {
			g.Values(
				jen.Id("Node").Op(":").Lit(x.node.Name),
				jen.Id("Op").Op(":").Lit(x.node.Op),
				jen.Id("At").Op(":").Lit(x.at),
			)
		}
	})
}

// sites returns the table as the last arguments of a call, or nothing if none of the plans can fail.
func sites(parts ...*emitter) []jen.Code {
	if !slices.ContainsFunc(parts, (*emitter).fails) {
		return nil
	}
	return []jen.Code{jen.Id("failing").Op("...")}
}
