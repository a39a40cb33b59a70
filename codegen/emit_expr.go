package codegen

import (
	"fmt"
	"math"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// emitVar emits a reference to a variable: in.X, out.Y, w.bias, c.s.bias, c.relu1. A variable that is not a
// slice is passed by address.
func (e *emitter) emitVar(x *plan.Var) *jen.Statement {
	if x.Type.Kind != ir.Tensor {
		if x.Place == plan.Input {
			return jen.Id("in").Dot(e.ins[e.p.Inputs[x.Index]])
		}
		return jen.Op("&").Add(e.emitPlace(x))
	}
	return e.emitPlace(x)
}

// emitPlace emits an assignable reference to a variable, c.relu1, or to a part of it.
func (e *emitter) emitPlace(x *plan.Var) *jen.Statement {
	if e.cut != nil {
		return e.emitCut(x)
	}
	return e.emitWhole(x)
}

// emitWhole emits an assignable reference to all of a variable.
func (e *emitter) emitWhole(x *plan.Var) *jen.Statement {
	if e.chain != nil {
		return jen.Id(e.chain.vars[x])
	}
	if e.within != nil {
		if name := e.within.params[x]; name != "" {
			return jen.Id(name)
		}
		if name := e.within.consts[x]; name != "" {
			return jen.Id("l").Dot(name)
		}
	}
	switch x.Place {
	case plan.Input:
		return jen.Id("in").Dot(e.ins[e.p.Inputs[x.Index]])
	case plan.Output:
		return jen.Id("out").Dot(e.outs[e.p.Outputs[x.Index]])
	case plan.Constant:
		return jen.Id("w").Dot(e.consts[e.p.Weights[x.Index]])
	case plan.Kept:
		return jen.Id("c").Dot("s").Dot(e.states[e.p.States[x.Index].Param.Name])
	}
	return jen.Id("c").Dot(e.vars[x])
}

// emitCut emits a reference to a variable while steps update a part of a parameter.
func (e *emitter) emitCut(x *plan.Var) *jen.Statement {
	whole := e.emitWhole(x)
	switch {
	case x.Place == plan.Kept && e.p.States[x.Index].Of == e.cut:
		return whole.Index(jen.Id("k").Dot("At"), jen.Id("k").Dot("End").Call())
	case x.Len.Equal(e.cut.Var.Len):
		return whole.Index(jen.Id("k").Dot("From"), jen.Id("k").Dot("To"))
	}
	return whole
}

// emitDim emits a size: 784, c.batch*784.
func (e *emitter) emitDim(d ir.Dim) *jen.Statement {
	return emitDim(d, func(s string) *jen.Statement { return jen.Id("c").Dot(e.syms[s]) })
}

func emitDim(d ir.Dim, sym func(string) *jen.Statement) *jen.Statement {
	if n, ok := d.Const(); ok {
		return jen.Lit(n)
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
			out.Add(emitFactor(f, sym))
		}
		switch {
		case len(t.Factors) == 0:
			out.Lit(coef)
		case coef != 1:
			out.Op("*").Lit(coef)
		}
	}
	return out
}

// emitFactor emits a symbol or a function of sizes:
//
//	max(c.n, 1)
//	tensor.FloorDiv(c.n, 2)
func emitFactor(f ir.Factor, sym func(string) *jen.Statement) *jen.Statement {
	if f.Func == "" {
		return sym(f.Sym)
	}
	a, b := emitDim(f.Args[0], sym), emitDim(f.Args[1], sym)
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

// emitDims emits a shape: []int{c.batch, 784}.
func (e *emitter) emitDims(s []ir.Dim) *jen.Statement {
	return jen.Index().Int().ValuesFunc(func(g *jen.Group) {
		for _, d := range s {
			g.Add(e.emitDim(d))
		}
	})
}

// emitArg emits an argument of a kernel call.
func (e *emitter) emitArg(a any) jen.Code {
	switch a := a.(type) {
	case nil:
		return jen.Nil()
	case *ir.Value:
		if a == nil {
			return jen.Nil()
		}
		return e.emitVar(e.p.Var(a))
	case op.Boxed:
		return e.emitBoxed(a)
	case op.Whole:
		return e.emitArg(a.Value)
	case ir.Dim:
		return e.emitDim(a)
	case []ir.Dim:
		return e.emitDims(a)
	case int:
		return jen.Lit(a)
	case []int:
		return jen.Index().Int().ValuesFunc(func(g *jen.Group) {
			for _, n := range a {
				g.Lit(n)
			}
		})
	case float64:
		return emitFloat(a)
	case []float64:
		return jen.Index().Float64().ValuesFunc(func(g *jen.Group) {
			for _, x := range a {
				g.Add(emitFloat(x))
			}
		})
	case bool:
		return jen.Lit(a)
	case string:
		return jen.Lit(a)
	case op.Kernel:
		return jen.Qual(pkgCPU, string(a))
	case op.Const:
		return jen.Qual(pkgCPU, string(a))
	case op.Struct:
		return e.emitStruct(a)
	}
	panic(fmt.Sprintf("BUG: no way to print an argument of type %T", a))
}

// emitBoxed emits a value as a parameter of any type: a slice with its shape,
//
//	tensor.Of(x, 2, n)
func (e *emitter) emitBoxed(b op.Boxed) jen.Code {
	v := e.emitVar(e.p.Var(b.Value))
	if b.Type.Kind != ir.Tensor {
		return v
	}
	args := []jen.Code{v}
	for _, d := range b.Type.Shape {
		args = append(args, e.emitDim(d))
	}
	return jen.Qual(pkgTensor, "Of").Call(args...)
}

// emitFloat emits a float constant.
func emitFloat(x float64) *jen.Statement {
	switch {
	case math.IsNaN(x):
		return jen.Qual("math", "NaN").Call()
	case math.IsInf(x, 1):
		return jen.Qual("math", "Inf").Call(jen.Lit(1))
	case math.IsInf(x, -1):
		return jen.Qual("math", "Inf").Call(jen.Lit(-1))
	case x == 0 && math.Signbit(x):
		return jen.Qual("math", "Copysign").Call(jen.Lit(0), jen.Lit(-1))
	}
	return jen.Lit(x)
}

// emitStruct emits a parameter struct, without the fields that are nil, false or empty. A long one has a line
// for each field:
//
//	cpu.MatMulShape{M: 1, K: 784, N: 512}
//	cpu.RecurrentIn[float32]{X: in.X, B: w.b}
func (e *emitter) emitStruct(s op.Struct) *jen.Statement {
	typ := jen.Qual(pkgCPU, s.Type)
	if len(s.Elems) > 0 {
		typ.TypesFunc(func(g *jen.Group) {
			for _, d := range s.Elems {
				g.Add(emitElem(d))
			}
		})
	}
	var fields []jen.Code
	for _, f := range s.Fields {
		if f.Has() {
			fields = append(fields, jen.Id(f.Name).Op(":").Add(e.emitArg(f.Value)))
		}
	}
	if line := typ.Clone().Values(fields...); len(line.GoString()) <= maxLiteral {
		return line
	}
	return typ.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, fields...)
}

// maxLiteral is the largest length of a struct on one line.
const maxLiteral = 160
