package codegen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
)

// emitChain emits a chain of elementwise calls:
//
//	// y, and 2 nodes before it
//	c.chain1 = chain1{x: in.X, y: out.Y}
//	cpu.InParts(&c.chain1, cpu.Parts{Rows: 1, Len: c.batch * 512, Temps: 1, Calls: 3})
func (e *emitter) emitChain(g *jen.Group, c *plan.Chain) {
	e.emitChainMark(g, c)
	e.named = nil
	n := e.chains[c]
	g.Comment(lineOf(chainText(c)))
	g.Id("c").Dot(n.field).Op("=").Id(n.typ).ValuesFunc(func(g *jen.Group) {
		for i, x := range e.operands(c) {
			g.Id(n.fields[i]).Op(":").Add(e.emitPlace(x.v))
		}
	})
	e.note("cpu.InParts", c)
	g.Qual(pkgCPU, "InParts").Call(jen.Op("&").Id("c").Dot(n.field), jen.Qual(pkgCPU, "Parts").ValuesFunc(func(g *jen.Group) {
		g.Id("Rows").Op(":").Add(e.emitDim(c.Rows))
		g.Id("Len").Op(":").Add(e.emitDim(c.Len))
		if c.ByRow {
			g.Id("ByRow").Op(":").True()
		}
		if c.Places > 0 {
			g.Id("Temps").Op(":").Lit(c.Places)
		}
		g.Id("Calls").Op(":").Lit(len(c.Calls))
	}))
}

func chainText(c *plan.Chain) string {
	if len(c.Calls) == 2 {
		return c.Node().Name + ", and the node before it"
	}
	return fmt.Sprintf("%s, and %d nodes before it", c.Node().Name, len(c.Calls)-1)
}

// emitChains emits the type of each chain, and its method for a part:
//
//	// chain1 is 3 nodes in one pass over memory: its operands, of which Part computes a part.
//	type chain1 struct{ x, y []float32 }
//
//	func (o *chain1) Part(p *cpu.Part) {
//		x := o.x[p.Lo:p.Hi]
//		y := o.y[p.Lo:p.Hi]
//		t := cpu.Temp[float32](p, 0)
//		cpu.Sigmoid(t, x) // sigmoid_1
//		…
func (e *emitter) emitChains(f *jen.File) {
	for _, n := range e.chainTypes {
		text := fmt.Sprintf("%s holds the operands of %d nodes that are computed in one pass over memory", n.typ, len(n.Calls))
		if n.count > 1 {
			text += fmt.Sprintf(":\nthose of %d such chains; the names in it are those of the first", n.count)
		}
		for line := range strings.Lines(text + ".") {
			f.Comment(strings.TrimSpace(line))
		}
		f.Type().Id(n.typ).StructFunc(func(g *jen.Group) {
			for i, x := range e.operands(n.Chain) {
				field := g.Id(n.fields[i]).Add(emitType(x.Type))
				if n.count == 1 {
					field.Comment(x.Type.String())
				}
			}
		})
		f.Comment("Part computes a part of the elements.")
		f.Func().Params(jen.Id("o").Op("*").Id(n.typ)).Id("Part").Params(jen.Id("p").Op("*").Qual(pkgCPU, "Part")).BlockFunc(func(g *jen.Group) {
			for i, x := range e.operands(n.Chain) {
				g.Id(n.fields[i]).Op(":=").Add(emitPart(jen.Id("o").Dot(n.fields[i]), x.Operand))
			}
			for _, t := range n.temps {
				g.Id(t.name).Op(":=").Qual(pkgCPU, "Temp").Index(emitElem(t.elem)).Call(jen.Id("p"), jen.Lit(t.place))
			}
			e.chain = n
			for _, s := range n.Calls {
				g.Add(e.emitKernel(s).Comment(lineOf(s.Node.Name)))
			}
			e.chain = nil
		})
	}
}

// emitPart emits the slice of an operand that a part accesses:
//
//	o.x[p.Lo:p.Hi]
//	cpu.EachRow(p, 0, o.scale)
//	cpu.OfRow(p, 1, o.mean, 1)
func emitPart(x *jen.Statement, o *plan.Operand) *jen.Statement {
	p := jen.Id("p")
	switch o.Kind {
	case plan.Single:
		return x
	case plan.Along:
		return x.Index(p.Clone().Dot("Lo"), p.Clone().Dot("Hi"))
	case plan.EachRow:
		return jen.Qual(pkgCPU, "EachRow").Call(p, jen.Lit(o.Place), x)
	}
	fn := "OfRow"
	if o.Run {
		fn = "RowOf"
	}
	return jen.Qual(pkgCPU, fn).Call(p, jen.Lit(o.Place), x, emitDim(o.Each, nil))
}
