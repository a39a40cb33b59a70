package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/ir"
)

// emitIfErr emits the return of an error:
//
//	if err := call; err != nil {
//		return err
//	}
func emitIfErr(g *jen.Group, call *jen.Statement) {
	g.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
}

// emitShapeCheck emits the check of the fixed sizes of an operand's shape.
func emitShapeCheck(g *jen.Group, name string, t ir.Type) {
	emitIfErr(g, jen.Qual(pkgValues, "CheckShape").Call(append([]jen.Code{jen.Lit(name), jen.Id(name).Dot("Shape")}, emitOpenDims(t)...)...))
}

// emitOpenDims emits a shape as arguments of checks: 784, or values.Open.
func emitOpenDims(t ir.Type) []jen.Code {
	var out []jen.Code
	for _, d := range t.Shape {
		if n, ok := d.Const(); ok {
			out = append(out, jen.Lit(n))
		} else {
			out = append(out, jen.Qual(pkgValues, "Open"))
		}
	}
	return out
}
