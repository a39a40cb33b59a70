package codegen

import (
	"testing"

	"github.com/dave/jennifer/jen"
)

// TestFits compares the answer for each limit around the length of formatted code with that length.
func TestFits(t *testing.T) {
	for _, code := range []*jen.Statement{
		jen.Id("f").Call(),
		jen.Qual(pkgCPU, "Relu").Call(jen.Id("c").Dot("relu"), jen.Id("in").Dot("X")),
		jen.Id("c").Dot("n").Op("=").Qual(pkgCPU, "Sum").Call(jen.Id("a").Op("*").Lit(64).Op("+").Op("-").Id("b"), jen.Lit("a,  b: c")),
		jen.Qual(pkgCPU, "Shape").Types(jen.Float32()).Values(jen.Id("M").Op(":").Id("c").Dot("batch").Op("*").Lit(2), jen.Id("Pads").Op(":").Index().Int().Values(jen.Lit(1), jen.Lit(-1))),
		jen.Qual(pkgCPU, "Shape").Custom(multiline, jen.Id("M").Op(":").Lit(1), jen.Id("Channels").Op(":").Lit(20)),
		jen.Id("f").Call(jen.Func().Params(jen.Id("x").Op("*").Int()).Bool().Block(jen.Return(jen.Op("!").Id("x").Op("==").Id("y").Index(jen.Id("i").Op(":").Id("j"))))),
	} {
		text := code.GoString()
		least, most := widths(unformatted(code))
		if n := len(text); n < least || n > most {
			t.Errorf("%d bytes, not between %d and %d: %s", n, least, most, text)
		}
		for n := range len(text) + 100 {
			if got, want := fits(code, n), len(text) <= n; got != want {
				t.Errorf("fits in %d: %v: %s", n, got, text)
			}
		}
	}
}
