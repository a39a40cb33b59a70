package vet

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// ports reports edges with a missing end. It requires that the whole program is in this package and that all
// ports have constant names.
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
			p.Reportf(c.Pos(), "NetOut %q feeds no input, and its result is not used: %s", name, there("inputs", ins))
		case c.name == "Input" && p.fromPeers(c) && !outs[name]:
			p.Reportf(c.Pos(), "input %q is to come from peers, and no NetOut feeds it: %s", name, there("NetOuts", outs))
		}
	}
}

// there lists the names that exist, for an error about one that does not.
func there(what string, names map[string]bool) string {
	if len(names) == 0 {
		return "there are no " + what
	}
	return "the " + what + " are " + strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// fromPeers reports whether an input has the option From.
func (p *program) fromPeers(c *call) bool {
	return slices.ContainsFunc(c.Args, func(x ast.Expr) bool {
		o := p.made(x)
		return o != nil && o.name == "From"
	})
}

// whole reports whether the package contains the whole program: no protocol has ports of its own, and no
// module is from another package.
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

// isOf reports whether a type is that of package dsl with this name.
func isOf(t types.Type, name string) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == dslPath
}

// hasModules reports whether a package may contribute modules or ports to the program.
func (p *program) hasModules(other *types.Package) bool {
	return other.Path() != dslPath && imports(other)
}
