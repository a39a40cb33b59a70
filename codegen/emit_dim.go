package codegen

import (
	"math"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/ir"
)

// emitDim emits a size: 784, c.batch*784.
func (e *emitter) emitDim(d ir.Dim) *jen.Statement { return emitDim(d, e.emitSym) }

// emitSym emits the field of the context for a symbol.
func (e *emitter) emitSym(s string) *jen.Statement { return jen.Id("c").Dot(e.syms[s]) }

// emitDim emits a size whose symbols sym emits.
func emitDim(d ir.Dim, sym func(string) *jen.Statement) *jen.Statement {
	return dimEmitter{sym, func(n int64) *jen.Statement { return jen.Lit(ir.Int(n)) }}.emit(d)
}

// emitCount emits a number that a run reports, such as that of its arithmetic operations. Unlike a size, it may be
// greater than an int of 32 bits, where it becomes the greatest:
//
//	min(137438953472, math.MaxInt)
func (e *emitter) emitCount(d ir.Dim) *jen.Statement {
	return dimEmitter{e.emitSym, func(n int64) *jen.Statement {
		if n <= math.MaxInt32 {
			return jen.Lit(int(n))
		}
		return jen.Id("min").Call(jen.Op(strconv.FormatInt(n, 10)), jen.Qual("math", "MaxInt"))
	}}.emit(d)
}

// dimEmitter emits polynomials of sizes. Its functions emit their symbols and numbers.
type dimEmitter struct {
	sym    func(string) *jen.Statement
	number func(int64) *jen.Statement
}

func (e dimEmitter) emit(d ir.Dim) *jen.Statement {
	if len(d.Terms()) == 0 {
		return e.number(0)
	}
	out := jen.Null()
	for i, t := range d.Terms() {
		coef := t.Coef
		if i > 0 {
			if coef < 0 {
				out.Op("-")
				coef = -coef
			} else {
				out.Op("+")
			}
		} else if coef == -1 && len(t.Factors) > 0 {
			out.Op("-")
			coef = 1
		}
		for k, f := range t.Factors {
			if k > 0 {
				out.Op("*")
			}
			out.Add(e.emitFactor(f))
		}
		switch {
		case len(t.Factors) == 0:
			out.Add(e.number(coef))
		case coef != 1:
			out.Op("*").Add(e.number(coef))
		}
	}
	return out
}

// emitFactor emits a symbol or a function of sizes:
//
//	max(c.n, 1)
//	tensor.FloorDiv(c.n, 2)
func (e dimEmitter) emitFactor(f ir.Factor) *jen.Statement {
	if f.Func == "" {
		return e.sym(f.Sym)
	}
	a, b := e.emit(f.Args[0]), e.emit(f.Args[1])
	switch f.Func {
	case "max", "min":
		return jen.Id(f.Func).Call(a, b)
	case "mod":
		return jen.Qual(pkgTensor, "Mod").Call(a, b)
	case "bcast":
		return jen.Qual(pkgTensor, "BroadcastDim").Call(a, b)
	case "mul":
		return jen.Parens(a).Op("*").Parens(b)
	}
	return jen.Qual(pkgTensor, "FloorDiv").Call(a, b)
}
