package vet

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// ports reports edges of which one end is missing. It does so only where all of the program
// can be seen: it is all in this package, and all ports have constant names.
func (p *program) ports() {
	if !p.whole() {
		return
	}
	outs, ins := map[string]bool{}, map[string]bool{}
	for _, c := range p.calls {
		if set := map[string]map[string]bool{"NetOut": outs, "Input": ins}[c.name]; set != nil && c.of == "Graph" && len(c.Args) > 0 {
			name, ok := p.text(c.Args[0])
			if !ok {
				return
			}
			set[name] = true
		}
	}
	for _, c := range p.calls {
		if c.of != "Graph" || len(c.Args) == 0 {
			continue
		}
		name, _ := p.text(c.Args[0])
		switch {
		case c.name == "NetOut" && c.alone && !ins[name]:
			p.Reportf(c.Pos(), "NetOut %q feeds no input, and nobody reads what it returns: %s", name, there("inputs", ins))
		case c.name == "Input" && p.fromPeers(c) && !outs[name]:
			p.Reportf(c.Pos(), "input %q is to come from peers, and no NetOut feeds it: %s", name, there("NetOuts", outs))
		}
	}
}

// there says what there is instead.
func there(what string, names map[string]bool) string {
	if len(names) == 0 {
		return "there are no " + what
	}
	return "the " + what + " are " + strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// fromPeers reports whether an input says from which peers it comes.
func (p *program) fromPeers(c *call) bool {
	return slices.ContainsFunc(c.Args, func(x ast.Expr) bool {
		o := p.made(x)
		return o != nil && o.name == "From"
	})
}

// whole reports whether the package has a program, and all modules and ports of it: no
// protocol has some of its own, and no module is of another package.
func (p *program) whole() bool {
	f, ok := p.Pkg.Scope().Lookup("Program").(*types.Func)
	if !ok || f.Signature().Results().Len() != 1 || !isOf(f.Signature().Results().At(0).Type(), "Program") {
		return false
	}
	for _, c := range p.calls {
		if c.of == "Protocol" || c.of == "Graph" && c.name == "Announce" {
			return false
		}
	}
	return !slices.ContainsFunc(p.Pkg.Imports(), p.hasModules)
}

func isOf(t types.Type, name string) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == dslPath
}

// hasModules reports whether a package may bring modules, or ports, into the program.
func (p *program) hasModules(other *types.Package) bool {
	return other.Path() != dslPath && imports(other)
}
