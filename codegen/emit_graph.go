package codegen

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// emitGraph emits the context of a run and the run itself.
func (e *emitter) emitGraph(f *jen.File) {
	e.emitContext(f)
	e.emitNewContext(f)
	e.emitRun(f)
	e.emitBlocks(f)
	e.emitChains(f)
}

// emitContext emits the struct that holds the values of one run.
func (e *emitter) emitContext(f *jen.File) {
	f.Comment(e.name("context") + " holds the values of one run between its inputs and its outputs.")
	f.Type().Id(e.name("context")).StructFunc(func(g *jen.Group) {
		g.Id("w").Op("*").Id(e.name("weights"))
		if e.trains {
			g.Id("s").Op("*").Id("state")
		}
		if e.part != "" && !e.trains {
			in, out := e.portTypes()
			g.Id("in").Id(in)
			g.Id("out").Id(out)
		}
		if e.hasArena() {
			g.Id("arena").Index().Byte().Comment(fmt.Sprintf("%d bytes, shared by values that do not live at the same time", e.p.Arena))
		}
		for _, s := range e.p.Syms {
			g.Id(e.syms[s]).Int()
		}
		for _, d := range e.slotTypes() {
			g.Id(slotField(d)).Index(jen.Lit(e.p.Slots[d])).Index().Add(emitElem(d)).Comment("buffers of values whose size varies")
		}
		for _, x := range e.contextVars() {
			g.Id(e.vars[x]).Add(emitType(x.Type)).Comment(x.Type.String())
		}
		for _, n := range e.chainTypes {
			g.Id(n.field).Id(n.typ)
		}
	})
}

// hasArena reports whether any value is in the arena, which may be empty.
func (e *emitter) hasArena() bool {
	return slices.ContainsFunc(e.p.Vars, func(x *plan.Var) bool { return x.Place == plan.Arena })
}

func (e *emitter) slotTypes() []tensor.DType {
	var out []tensor.DType
	for d := range e.p.Slots {
		out = append(out, d)
	}
	slices.Sort(out)
	return out
}

// contextVars returns the variables in the context, in the order of their definition.
func (e *emitter) contextVars() []*plan.Var {
	var out []*plan.Var
	for _, x := range e.p.Vars {
		if x.Place != plan.Output {
			out = append(out, x)
		}
	}
	return out
}

// constructor returns the name of the function that makes a context.
func (e *emitter) constructor() string {
	if e.part == "" {
		return "newContext"
	}
	return "new" + strings.ToUpper(e.part[:1]) + e.part[1:] + "Context"
}

// emitNewContext emits the constructor, which assigns each value of fixed size its part of the arena:
//
//	c.relu1 = tensor.View[float32](c.arena, 4096, 512)
func (e *emitter) emitNewContext(f *jen.File) {
	name := e.constructor()
	params := []jen.Code{jen.Id("w").Op("*").Id(e.name("weights"))}
	fields := []jen.Code{jen.Id("w").Op(":").Id("w")}
	if e.trains {
		params = append(params, jen.Id("s").Op("*").Id("state"))
		fields = append(fields, jen.Id("s").Op(":").Id("s"))
	}
	made := jen.Op("&").Id(e.name("context")).Values(fields...)
	if !e.hasArena() {
		f.Comment(name + " makes a context, whose values grow as runs need them.")
		f.Func().Id(name).Params(params...).Op("*").Id(e.name("context")).Block(jen.Return(made))
		return
	}
	f.Comment(name + " lays the values of fixed size out in the arena.")
	f.Func().Id(name).Params(params...).Op("*").Id(e.name("context")).BlockFunc(func(g *jen.Group) {
		g.Id("c").Op(":=").Add(made)
		g.Id("c").Dot("arena").Op("=").Qual(pkgTensor, "Aligned").Call(jen.Lit(e.p.Arena))
		for _, x := range e.contextVars() {
			if x.Place != plan.Arena {
				continue
			}
			n, _ := x.Len.Const()
			g.Id("c").Dot(e.vars[x]).Op("=").Qual(pkgTensor, "View").Index(emitElem(x.Type.Elem)).Call(jen.Id("c").Dot("arena"), jen.Lit(x.Off), jen.Lit(n))
		}
		g.Return(jen.Id("c"))
	})
}

// emitRun emits the graph: one kernel call after the other.
func (e *emitter) emitRun(f *jen.File) {
	f.Comment("run computes the graph, node by node.")
	e.emitRunMethod(f, "run")
}

func (e *emitter) emitRunMethod(f *jen.File, name string) {
	in, out := e.portTypes()
	f.Func().Params(jen.Id("c").Op("*").Id(e.name("context"))).Id(name).ParamsFunc(func(g *jen.Group) {
		if e.marks != nil {
			g.Id("p").Qual(pkgRuntime, "Profiler")
		}
		g.Id("in").Op("*").Id(in)
		g.Id("out").Op("*").Id(out)
	}).BlockFunc(func(g *jen.Group) {
		if e.runReadsWeights() {
			g.Id("w").Op(":=").Id("c").Dot("w")
		}
		for _, s := range e.sizes {
			if name, ok := e.syms[s]; ok {
				g.Id("c").Dot(name).Op("=").Id("in").Dot(e.field[s])
			}
		}
		if e.tells {
			e.emitTelling(g)
		} else {
			e.emitSteps(g, e.p.Steps)
		}
		e.emitEnd(g)
		e.emitOutputs(g)
	})
}

// portTypes returns the names of the types of a run's inputs and outputs.
func (e *emitter) portTypes() (in, out string) {
	switch {
	case e.part == "":
		return "Inputs", "Outputs"
	case !e.trains:
		return e.name("inputs"), e.name("outputs")
	case e.part == "step":
		return "Batch", "results"
	}
	return "Batch", "Outputs"
}

// runReadsWeights reports whether the run itself, not only its blocks, refers to a weight.
func (e *emitter) runReadsWeights() bool {
	found := slices.ContainsFunc(e.p.Outputs, func(p *plan.Port) bool { return p.Source != nil && p.Source.Place == plan.Constant })
	e.readsWeights(e.p.Steps, func(*plan.Weight) { found = true })
	return found || slices.ContainsFunc(e.p.Steps, func(s plan.Step) bool {
		r, ok := s.(*plan.Rolled)
		return ok && len(r.Block.Consts) > 0
	})
}

func (e *emitter) emitSteps(g *jen.Group, steps []plan.Step) {
	for len(steps) > 0 {
		parameter, n := e.p.Updates(steps[0]), 1
		for n < len(steps) && parameter != nil && e.p.Updates(steps[n]) == parameter {
			n++
		}
		if parameter != nil {
			e.emitUpdates(g, parameter, steps[:n])
		} else {
			e.emitStep(g, steps[0])
		}
		steps = steps[n:]
	}
}

func (e *emitter) emitStep(g *jen.Group, s plan.Step) {
	switch s := s.(type) {
	case *plan.Call:
		e.emitCall(g, s)
	case *plan.Chain:
		e.emitChain(g, s)
	case *plan.Grow:
		if e.within == nil || e.within.params[s.Var] == "" { // the caller grows operands
			e.emitGrow(g, s.Var, e.emitDim(s.Var.Len))
		}
	case *plan.Copy:
		e.emitCopy(g, s)
	case *plan.Clear:
		g.Add(e.emitPlace(s.Var)).Op("=").Add(e.emitPlace(s.Var)).Index(jen.Op(":").Lit(0))
	case *plan.Append:
		g.Add(e.emitPlace(s.Dst)).Op("=").Append(e.emitPlace(s.Dst), e.emitPlace(s.Src).Op("..."))
	case *plan.Row:
		g.Copy(e.emitRow(s.Dst, e.counter(e.loops-1), s.Len, s.Rows, s.Back), e.emitPlace(s.Src))
	case *plan.Rolled:
		e.emitRolled(g, s)
	case *plan.Bind:
		e.emitBind(g, s)
	case *plan.If:
		e.emitIf(g, s)
	case *plan.Loop:
		e.emitLoop(g, s)
	case *plan.Scan:
		e.emitScan(g, s)
	default:
		panic(fmt.Sprintf("BUG: no way to print a step of type %T", s))
	}
}

// emitCall emits one kernel call with a comment that names its node, above the call if that is long:
//
//	cpu.Relu(c.relu1, c.conv1) // relu_1
func (e *emitter) emitCall(g *jen.Group, s *plan.Call) {
	stmt := e.emitKernel(s)
	if len(s.Binds) > 0 {
		stmt = jen.Id("c").Dot(e.symName(s.Binds[0])).Op("=").Add(stmt)
	}
	if s.Node != e.named {
		e.emitMark(g, s.Node)
	}
	if e.marks != nil && e.within == nil {
		e.marks.note(s.Kernel)
	}
	switch {
	case s.Node == e.named: // one comment is enough for the calls of a node
		g.Add(stmt)
	case len(stmt.GoString()) > maxCommented:
		g.Comment(s.Node.Name)
		g.Add(stmt)
	default:
		g.Add(stmt.Comment(s.Node.Name))
	}
	e.named = s.Node
}

// emitKernel emits the call without a comment.
func (e *emitter) emitKernel(s *plan.Call) *jen.Statement {
	pkg, name := kernelPath(s.Kernel)
	e.note(path.Base(pkg)+"."+name, s)
	return jen.Qual(pkg, name).CallFunc(func(g *jen.Group) {
		for _, a := range s.Args {
			g.Add(e.emitArg(a))
		}
	})
}

// maxCommented is the largest length of a line with a trailing comment.
const maxCommented = 110

// kernelPath returns the package and the name of a kernel. For example, imagedec.Decode is in a package below
// package cpu.
func kernelPath(kernel string) (pkg, name string) {
	if dir, name, ok := strings.Cut(kernel, "."); ok {
		return pkgCPU + "/" + dir, name
	}
	return pkgCPU, kernel
}

// symName returns the context's field for a symbol.
func (e *emitter) symName(s string) string {
	if n, ok := e.syms[s]; ok {
		return n
	}
	panic(fmt.Sprintf("BUG: symbol %s has no field", s))
}

// emitGrow emits code that makes room for a variable of a size that is now known:
//
//	c.relu1 = tensor.Take(&c.float32s[0], c.batch*512)
//	out.Y = tensor.Grow(out.Y, c.batch*10)
func (e *emitter) emitGrow(g *jen.Group, x *plan.Var, n *jen.Statement) {
	if x.Type.Kind != ir.Tensor {
		return
	}
	switch x.Place {
	case plan.Slot:
		g.Add(e.emitPlace(x)).Op("=").Qual(pkgTensor, "Take").Call(jen.Op("&").Id("c").Dot(slotField(x.Type.Elem)).Index(jen.Lit(x.Off)), n)
	case plan.Own, plan.Output:
		g.Add(e.emitPlace(x)).Op("=").Qual(pkgTensor, "Grow").Call(e.emitPlace(x), n)
	}
}

// emitCopy emits the copy of a variable, including its size:
//
//	copy(c.state, c.next)
//	c.state = append(c.state[:0], c.next...)
func (e *emitter) emitCopy(g *jen.Group, s *plan.Copy) {
	if kernel := copier(s.Dst.Type); kernel != "" {
		e.note("cpu."+kernel, s)
		g.Qual(pkgCPU, kernel).Call(e.emitVar(s.Dst), e.emitVar(s.Src))
		return
	}
	switch {
	case s.Dst.Place == plan.Arena || s.Dst.Place == plan.Kept:
		g.Copy(e.emitPlace(s.Dst), e.emitPlace(s.Src))
	case s.Dst.Place == plan.Slot:
		e.emitGrow(g, s.Dst, jen.Len(e.emitPlace(s.Src)))
		g.Copy(e.emitPlace(s.Dst), e.emitPlace(s.Src))
	default:
		g.Add(e.emitPlace(s.Dst)).Op("=").Append(e.emitPlace(s.Dst).Index(jen.Op(":").Lit(0)), e.emitPlace(s.Src).Op("..."))
	}
}

// copier returns the kernel that copies values of a type, or "" for tensors.
func copier(t ir.Type) string {
	switch {
	case t.Kind == ir.Sequence && t.Of.Kind == ir.Map:
		return "CopyMaps"
	case t.Kind == ir.AnyRank:
		return "CopyBox"
	case t.Kind == ir.Map:
		return "CopyMap"
	case t.Kind == ir.Sequence:
		return "CopySequence"
	case t.Kind == ir.Optional:
		return "CopyOptional"
	}
	return ""
}

// emitBind emits the assignment of sizes, all at once:
//
//	c.n, c.m = int(c.shape[0]), int(c.shape[1])
func (e *emitter) emitBind(g *jen.Group, s *plan.Bind) {
	g.ListFunc(func(g *jen.Group) {
		for _, x := range s.Syms {
			g.Id("c").Dot(e.symName(x))
		}
	}).Op("=").ListFunc(func(g *jen.Group) {
		for _, v := range s.Values {
			switch v := v.(type) {
			case plan.Elem:
				g.Int().Call(e.emitPlace(v.Var).Index(jen.Lit(v.Index)))
			case ir.Dim:
				g.Add(e.emitDim(v))
			}
		}
	})
}

// emitOutputs emits the copies of outputs that are inputs, constants or another output, and the shapes of
// outputs with variable sizes.
func (e *emitter) emitOutputs(g *jen.Group) {
	for i, p := range e.p.Outputs {
		if p.Source != nil {
			dst := &plan.Var{Value: p.Value, Type: p.Value.Type, Place: plan.Output, Index: i}
			e.emitCopy(g, &plan.Copy{Dst: dst, Src: p.Source})
		}
		if e.varies(p) {
			g.Id("out").Dot(e.outs[p] + "Shape").Op("=").Index(jen.Lit(len(p.Value.Type.Shape))).Int().ValuesFunc(func(g *jen.Group) {
				for _, d := range p.Value.Type.Shape {
					g.Add(e.emitDim(d))
				}
			})
		}
	}
}

// varies reports whether the shape of an output is known only after a run.
func (e *emitter) varies(p *plan.Port) bool {
	_, static := p.Value.Type.Static()
	return p.Value.Type.Kind == ir.Tensor && !static
}
