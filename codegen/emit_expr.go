package codegen

import (
	"fmt"

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
	if line := typ.Clone().Values(fields...); fits(line, maxLiteral) {
		return line
	}
	return typ.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, fields...)
}

// maxLiteral is the largest length of a struct on one line.
const maxLiteral = 160
