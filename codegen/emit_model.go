package codegen

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

// emitModel emits the package's API: Model, Inputs, Outputs, New and Run.
func (e *emitter) emitModel(f *jen.File) {
	f.PackageComment(fmt.Sprintf("Package %s runs the model %q: straight calls of kernels, compiled by bbgen.", e.opt.Package, e.m.Name))
	f.PackageComment("")
	f.PackageComment("A [Model] holds the weights; [Model.Run] reads [Inputs] and writes [Outputs].")
	emitHandshake(f)
	e.emitModelType(f)
	e.emitInputs(f)
	e.emitOutputsType(f)
	e.emitModelRun(f)
}

func (e *emitter) emitModelType(f *jen.File) {
	f.Comment("Model is the model and its weights. It is safe for concurrent use.")
	f.Type().Id("Model").Struct(
		jen.Id("w").Id("weights"),
		jen.Id("mu").Qual("sync", "Mutex"),
		jen.Id("free").Index().Op("*").Id("context").Comment("contexts that no run uses; guarded by mu"),
	)
	if e.opt.Sidecar {
		e.emitOpen(f)
		return
	}
	f.Comment("New returns the model with the weights that are embedded in the binary.")
	f.Func().Id("New").Params().Params(jen.Op("*").Id("Model"), jen.Error()).Block(
		jen.Return(jen.Id("load").Call(jen.Qual(pkgTensor, "Embedded").Call(jen.Id("weightsFile")))),
	)
	emitLoad(f)
}

// emitOpen emits the constructors of a model with a separate weights file.
func (e *emitter) emitOpen(f *jen.File) {
	f.Comment("New returns the model with the weights of a file: the binary's name with .weights behind")
	f.Comment("it, or weights.bin in the binary's folder, in its folder " + e.opt.Package + ", or in the one that it runs in.")
	f.Func().Id("New").Params().Params(jen.Op("*").Id("Model"), jen.Error()).Block(
		jen.Id("names").Op(":=").Index().String().Values(jen.Lit("weights.bin")),
		jen.If(jen.List(jen.Id("exe"), jen.Err()).Op(":=").Qual("os", "Executable").Call(), jen.Err().Op("==").Nil()).Block(
			jen.Id("dir").Op(":=").Qual("path/filepath", "Dir").Call(jen.Id("exe")),
			jen.Id("names").Op("=").Append(
				jen.Id("names"),
				jen.Id("exe").Op("+").Lit(".weights"),
				jen.Qual("path/filepath", "Join").Call(jen.Id("dir"), jen.Lit("weights.bin")),
				jen.Qual("path/filepath", "Join").Call(jen.Id("dir"), jen.Lit(e.opt.Package), jen.Lit("weights.bin")),
			),
		),
		jen.For(jen.List(jen.Id("_"), jen.Id("name")).Op(":=").Range().Id("names")).Block(
			jen.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Qual("os", "Stat").Call(jen.Id("name")), jen.Err().Op("==").Nil()).Block(jen.Return(jen.Id("Open").Call(jen.Id("name")))),
		),
		jen.Return(jen.Nil(), jen.Qual("fmt", "Errorf").Call(jen.Lit("no weights: looked for %s"), jen.Qual("strings", "Join").Call(jen.Id("names"), jen.Lit(", ")))),
	)
	f.Comment("Open returns the model with the weights of the given file.")
	f.Func().Id("Open").Params(jen.Id("name").String()).Params(jen.Op("*").Id("Model"), jen.Error()).Block(
		jen.List(jen.Id("b"), jen.Err()).Op(":=").Qual("os", "ReadFile").Call(jen.Id("name")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.List(jen.Id("m"), jen.Err()).Op(":=").Id("load").Call(jen.Id("b")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Qual("fmt", "Errorf").Call(jen.Lit("%s: %w"), jen.Id("name"), jen.Err()))),
		jen.Return(jen.Id("m"), jen.Nil()),
	)
	emitLoad(f)
}

// emitLoad emits the function that makes a model from the content of its weights file.
func emitLoad(f *jen.File) {
	f.Comment("load returns the model with the weights b, which it keeps.")
	f.Func().Id("load").Params(jen.Id("b").Index().Byte()).Params(jen.Op("*").Id("Model"), jen.Error()).Block(
		jen.Id("m").Op(":=").New(jen.Id("Model")),
		jen.If(jen.Err().Op(":=").Id("m").Dot("w").Dot("load").Call(jen.Id("b")), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Id("m"), jen.Nil()),
	)
}

// emitInputs emits one field for each input, and one for each variable size:
//
//	Batch int       // size of the axes called batch
//	X     []float32 // float32[batch,784]
func (e *emitter) emitInputs(f *jen.File) {
	f.Comment("Inputs is what a run reads. Slices are row-major.")
	f.Type().Id("Inputs").StructFunc(func(g *jen.Group) {
		for _, s := range e.sizes {
			g.Id(e.field[s]).Int().Comment("the size " + s + " below")
		}
		for _, p := range e.p.Inputs {
			t := emitType(p.Value.Type)
			if p.Value.Type.Kind != ir.Tensor {
				t = jen.Op("*").Add(t)
			}
			g.Id(e.ins[p]).Add(t).Comment(portComment(p))
		}
	})
}

// emitOutputsType emits the type Outputs.
func (e *emitter) emitOutputsType(f *jen.File) {
	f.Comment("Outputs is what a run writes. Its slices are the caller's: they grow once and are")
	f.Comment("used again by the next run.")
	f.Type().Id("Outputs").StructFunc(e.emitWritten)
}

// emitWritten emits one field for each output, and one for its shape if that varies.
func (e *emitter) emitWritten(g *jen.Group) {
	for _, p := range e.p.Outputs {
		g.Id(e.outs[p]).Add(emitType(p.Value.Type)).Comment(portComment(p))
		if varies(p) {
			g.Id(e.outs[p] + "Shape").Index(jen.Lit(len(p.Value.Type.Shape))).Int()
		}
	}
}

// portComment returns the type of an input or output, followed by its documentation in the model.
func portComment(p *plan.Port) string {
	s := p.Value.Type.String()
	if doc := firstLine(p.Value.Doc); doc != "" {
		s += ": " + doc
	}
	return s
}

// firstLine returns the first line of a text for a comment. The text is from a file: Go refuses some characters in
// comments as well.
func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text))
}

// emitModelRun emits Run and the free list of contexts.
func (e *emitter) emitModelRun(f *jen.File) {
	f.Comment("Run computes the outputs from the inputs. It allocates only what outputs and, where")
	f.Comment("sizes vary, intermediate values need to grow. Runs at the same time are safe.")
	recv := jen.Id("m").Op("*").Id("Model")
	f.Func().Params(recv).Id("Run").Params(jen.Id("in").Op("*").Id("Inputs"), jen.Id("out").Op("*").Id("Outputs")).Params(jen.Err().Error()).BlockFunc(func(g *jen.Group) {
		for _, s := range e.sizes {
			emitCheckSize(g, "in", e.field[s], jen.Err())
		}
		for _, p := range e.p.Inputs {
			e.emitCheck(g, p)
		}
		g.Id("c").Op(":=").Id("m").Dot("take").Call()
		g.Defer().Id("m").Dot("release").Call(jen.Id("c"), jen.Op("&").Err())
		g.Id("c").Dot("run").Call(jen.Id("in"), jen.Id("out"))
		g.Return(jen.Nil())
	})
	f.Comment("take returns a context that no other run uses.")
	f.Func().Params(recv).Id("take").Params().Op("*").Id("context").Block(
		jen.Id("m").Dot("mu").Dot("Lock").Call(),
		jen.Defer().Id("m").Dot("mu").Dot("Unlock").Call(),
		jen.If(jen.Id("n").Op(":=").Len(jen.Id("m").Dot("free")), jen.Id("n").Op(">").Lit(0)).Block(
			jen.Id("c").Op(":=").Id("m").Dot("free").Index(jen.Id("n").Op("-").Lit(1)),
			jen.Id("m").Dot("free").Op("=").Id("m").Dot("free").Index(jen.Op(":").Id("n").Op("-").Lit(1)),
			jen.Return(jen.Id("c")),
		),
		jen.Return(jen.Id("newContext").Call(jen.Op("&").Id("m").Dot("w"))),
	)
	f.Comment("release gives a context back. A run that failed leaves its context behind, and its")
	f.Comment("reason in err.")
	f.Func().Params(recv).Id("release").Params(jen.Id("c").Op("*").Id("context"), jen.Err().Op("*").Error()).Block(
		jen.If(jen.Id("r").Op(":=").Recover(), jen.Id("r").Op("!=").Nil()).Block(
			jen.Op("*").Err().Op("=").Qual(pkgFault, "Recovered").Call(append([]jen.Code{jen.Lit(e.m.Name), jen.Id("r")}, sites(e)...)...),
			jen.Return(),
		),
		jen.Id("m").Dot("mu").Dot("Lock").Call(),
		jen.Id("m").Dot("free").Op("=").Append(jen.Id("m").Dot("free"), jen.Id("c")),
		jen.Id("m").Dot("mu").Dot("Unlock").Call(),
	)
}

// emitCheckSize emits the check of one size in the struct of inputs, and the return if it fails:
//
//	if err := values.CheckSize("Batch", in.Batch); err != nil {
func emitCheckSize(g *jen.Group, inputs, field string, failed ...jen.Code) {
	g.If(
		jen.Err().Op(":=").Qual(pkgValues, "CheckSize").Call(jen.Lit(field), jen.Id(inputs).Dot(field)),
		jen.Err().Op("!=").Nil(),
	).Block(jen.Return(failed...))
}

// emitCheck emits the check of one input:
//
//	if err := values.CheckLen("x", len(in.X), in.Batch*784, "float32[batch,784]"); err != nil {
func (e *emitter) emitCheck(g *jen.Group, p *plan.Port) {
	if p.Value.Type.Kind != ir.Tensor {
		g.If(jen.Id("in").Dot(e.ins[p]).Op("==").Nil()).Block(
			jen.Id("in").Dot(e.ins[p]).Op("=").Op("&").Add(emitType(p.Value.Type)).Values(),
		)
		return
	}
	n := emitDim(ir.Size(p.Value.Type.Shape), func(s string) *jen.Statement { return jen.Id("in").Dot(e.field[s]) })
	g.If(
		jen.Err().Op(":=").Qual(pkgValues, "CheckLen").Call(jen.Lit(e.ins[p]), jen.Len(jen.Id("in").Dot(e.ins[p])), n, jen.Lit(p.Value.Type.String())),
		jen.Err().Op("!=").Nil(),
	).Block(jen.Return(jen.Err()))
}
