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

// site is a call that has been printed: of a kernel, of a chain, or of a block.
type site struct {
	call   string    // as Go has it: cpu.Gather, c.layers
	step   plan.Step // a Call, a Chain or a Rolled
	within any       // whose method has it: a *blockNames, a *chainType, or the run's nil
	line   int
}

// note notes that a call is printed, the next in its file.
func (e *emitter) note(call string, step plan.Step) {
	if e.marks != nil { // a profile is no run
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

// locate finds the lines of the calls, which are in src in the order in which they were noted.
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

// fails reports whether data can make the plan fail.
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

// has reports whether the plan has a step of which f holds.
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

// failing returns the calls of a step that data can make fail.
func failing(s plan.Step) (calls []*plan.Call) {
	switch s := s.(type) {
	case *plan.Call:
		if plan.Fails(s) {
			return []*plan.Call{s}
		}
	case *plan.Chain:
		for _, c := range s.Calls {
			calls = append(calls, failing(c)...)
		}
	case *plan.Rolled:
		for _, c := range s.Steps {
			calls = append(calls, failing(c)...)
		}
	}
	return calls
}

// failure is a node that data can make fail, and the lines that lead to it, from the inside out.
type failure struct {
	node *ir.Node
	at   string
}

// failures are those of the plan, whose calls have been located in a file.
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

// failuresAt are those of a step that a printed call computes. A block or a chain has lines of its own, which are the same
// for all steps that share it.
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
		switch s.(type) {
		case *plan.Call, *plan.Chain:
			out = append(out, s)
		}
	}
	return out
}

// emitSites emits the table of calls that data can make fail.
func emitSites(f *jen.File, all []failure) {
	f.Comment("failing are the calls that data can make fail: the nodes that they compute, and their lines.")
	f.Var().Id("failing").Op("=").Index().Qual(pkgRuntime, "Site").CustomFunc(multiline, func(g *jen.Group) {
		for _, x := range all {
			g.Values(
				jen.Id("Node").Op(":").Lit(x.node.Name),
				jen.Id("Op").Op(":").Lit(x.node.Op),
				jen.Id("At").Op(":").Lit(x.at),
			)
		}
	})
}

// sites returns the table as the last operands of a call, nothing if data can make none of the plans fail.
func sites(parts ...*emitter) []jen.Code {
	if !slices.ContainsFunc(parts, (*emitter).fails) {
		return nil
	}
	return []jen.Code{jen.Id("failing").Op("...")}
}
