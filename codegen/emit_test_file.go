package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

const (
	pkgTesting = "testing"
	pkgCompare = "github.com/bbgen/bbgen/runtime/tensor/compare"
)

// emitTest emits the package's own test, that a run allocates nothing if its values are plain slices, and a benchmark.
func (e *emitter) emitTest(f *jen.File) {
	if e.opt.Golden {
		emitGolden(f)
	}
	e.emitZeros(f, "are inputs", "Inputs")
	f.Comment("TestRun runs the model on zeros.")
	body := []jen.Code{
		jen.List(jen.Id("m"), jen.Err()).Op(":=").Id("New").Call(),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Id("t").Dot("Fatal").Call(jen.Err())),
		jen.Id("in").Op(":=").Id("zeros").Call(),
		jen.Var().Id("out").Id("Outputs"),
		jen.Err().Op("=").Id("m").Dot("Run").Call(jen.Id("in"), jen.Op("&").Id("out")),
		emitRefused("t"),
	}
	if !e.allocates() {
		body = append(body,
			jen.Id("run").Op(":=").Func().Params().Block(jen.Id("m").Dot("Run").Call(jen.Id("in"), jen.Op("&").Id("out"))),
			emitAllocs("t", "run"),
		)
	}
	f.Func().Id("TestRun").Params(jen.Id("t").Op("*").Qual(pkgTesting, "T")).Block(body...)
	f.Comment("BenchmarkRun times a run on zeros.")
	f.Func().Id("BenchmarkRun").Params(jen.Id("b").Op("*").Qual(pkgTesting, "B")).Block(
		jen.List(jen.Id("m"), jen.Err()).Op(":=").Id("New").Call(),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Id("b").Dot("Fatal").Call(jen.Err())),
		jen.Id("in").Op(":=").Id("zeros").Call(),
		jen.Var().Id("out").Id("Outputs"),
		jen.Err().Op("=").Id("m").Dot("Run").Call(jen.Id("in"), jen.Op("&").Id("out")),
		emitRefused("b"),
		jen.Id("b").Dot("ReportAllocs").Call(),
		jen.For(jen.Id("b").Dot("Loop").Call()).Block(jen.Id("m").Dot("Run").Call(jen.Id("in"), jen.Op("&").Id("out"))),
	)
}

// emitRefused emits what a test makes of the error of its first run:
//
//	if fault.IsData(err) {
//		t.Skip("the model refuses zeros:", err)
//	}
//	if err != nil {
//		t.Fatal(err)
//	}
func emitRefused(test string) jen.Code {
	return jen.If(jen.Qual(pkgFault, "IsData").Call(jen.Err())).Block(
		jen.Id(test).Dot("Skip").Call(jen.Lit("the model refuses zeros:"), jen.Err()),
	).Line().If(jen.Err().Op("!=").Nil()).Block(
		jen.Id(test).Dot("Fatal").Call(jen.Err()),
	)
}

// emitAllocs emits the check that a function, a run or a step, does not allocate. Threads that help
// for the first time take memory of their own, whenever that is:
//
//	n := testing.AllocsPerRun(3, run)
//	for try := 0; n > 0 && try < 10; try++ {
//		n = testing.AllocsPerRun(3, run)
//	}
//	if n > 0 {
//		t.Errorf("a run makes %v allocations, want 0", n)
//	}
func emitAllocs(test, what string) jen.Code {
	count := jen.Qual(pkgTesting, "AllocsPerRun").Call(jen.Lit(3), jen.Id(what))
	return jen.Id("n").Op(":=").Add(count).Line().
		For(jen.Id("try").Op(":=").Lit(0), jen.Id("n").Op(">").Lit(0).Op("&&").Id("try").Op("<").Lit(10), jen.Id("try").Op("++")).Block(
		jen.Id("n").Op("=").Add(count),
	).Line().If(jen.Id("n").Op(">").Lit(0)).Block(
		jen.Id(test).Dot("Errorf").Call(jen.Lit("a "+what+" makes %v allocations, want 0"), jen.Id("n")),
	)
}

// emitGolden emits the test that compares results with the outputs supplied with the model.
func emitGolden(f *jen.File) {
	f.Comment("TestGolden runs the model on the data that came with it.")
	f.Func().Id("TestGolden").Params(jen.Id("t").Op("*").Qual(pkgTesting, "T")).Block(
		jen.Id("tol").Op(":=").Qual(pkgCompare, "Tolerance").Values(jen.Dict{jen.Id("Rel"): jen.Lit(1e-3), jen.Id("Abs"): jen.Lit(1e-3)}),
		jen.If(jen.Err().Op(":=").Qual(pkgRun, "CheckFolder").Call(jen.Id("Program").Call(), jen.Lit("testdata"), jen.Id("tol")), jen.Err().Op("!=").Nil()).Block(
			jen.Id("t").Dot("Fatal").Call(jen.Err()),
		),
	)
}

// allocates reports whether a run may allocate: there are values other than plain slices.
func (e *emitter) allocates() bool {
	return slices.ContainsFunc(e.p.Vars, func(x *plan.Var) bool { return x.Type.Kind != ir.Tensor || x.Type.Elem.Size() == 0 })
}

// emitZeros emits the function that returns inputs of zeros, of the type with this name. Variable sizes are 1.
func (e *emitter) emitZeros(f *jen.File, doc, typ string) {
	one := func(string) *jen.Statement { return jen.Lit(1) }
	f.Comment("zeros " + doc + " of zeros; sizes that vary are 1.")
	f.Func().Id("zeros").Params().Op("*").Id(typ).Block(
		jen.Return(jen.Op("&").Id(typ).CustomFunc(multiline, func(g *jen.Group) {
			for _, s := range e.sizes {
				g.Id(e.field[s]).Op(":").Lit(1)
			}
			for _, p := range e.p.Inputs {
				switch t := p.Value.Type; {
				case p == e.rate:
				case t.Kind != ir.Tensor:
					g.Id(e.ins[p]).Op(":").Op("&").Add(emitType(t)).Values()
				default:
					g.Id(e.ins[p]).Op(":").Make(emitType(t), emitDim(ir.Size(t.Shape), one))
				}
			}
		})),
	)
}
