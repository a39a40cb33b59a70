package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
)

// emitLiteral emits a Go value.
func emitLiteral(l peerplan.Literal) *jen.Statement {
	switch {
	case l.Text != "":
		return jen.Op(l.Text)
	case l.Name != "":
		return jen.Qual(l.Package, l.Name)
	}
	out := jen.Op(l.Prefix)
	if l.Prefix == "" {
		out = jen.Null()
	}
	out.Add(emitComponent(l.Package, l.Type))
	return out.ValuesFunc(func(g *jen.Group) {
		for _, f := range l.Fields {
			g.Id(f.Name).Op(":").Add(emitLiteral(f.Value))
		}
		for _, x := range l.Elems {
			g.Add(emitLiteral(x))
		}
	})
}

// emitComponent emits a component's type.
func emitComponent(pkg, name string) *jen.Statement {
	if pkg != "" {
		return jen.Qual(pkg, name)
	}
	return jen.Id(name)
}
