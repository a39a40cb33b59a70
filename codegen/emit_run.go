package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

func (e *emitter) emitRunMethod(f *jen.File, name string) {
	in, out := e.portTypes()
	f.Func().Params(jen.Id("c").Op("*").Id(e.name("context"))).Id(name).ParamsFunc(func(g *jen.Group) {
		if e.marks != nil {
			g.Id("p").Qual(pkgModel, "Profiler")
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

// runReadsWeights reports whether the run itself, not only its blocks, refers to a weight.
func (e *emitter) runReadsWeights() bool {
	found := slices.ContainsFunc(e.p.Outputs, func(p *plan.Port) bool { return p.Source != nil && p.Source.Place == plan.Constant })
	e.readsWeights(e.p.Steps, nil, func(*plan.Weight) { found = true })
	return found || slices.ContainsFunc(e.p.Steps, func(s plan.Step) bool {
		r, ok := s.(*plan.Rolled)
		return ok && len(r.Block.Consts) > 0
	})
}

// emitBlocks emits the method of each block.
func (e *emitter) emitBlocks(f *jen.File) {
	for _, b := range e.p.Blocks {
		n := e.blocks[b]
		fn := n.fn
		if e.marks != nil {
			fn = n.profile
			e.marks.block, e.named = 0, nil
		}
		differ := "their operands"
		if len(b.Consts) > 0 {
			differ = "their weights l and their operands"
		}
		f.Comment(fmt.Sprintf("%s computes one of %d blocks that differ in %s; the names in", fn, b.Count, differ))
		f.Comment("it are those of the first.")
		f.Func().Params(jen.Id("c").Op("*").Id(e.name("context"))).Id(fn).ParamsFunc(func(g *jen.Group) {
			if e.marks != nil {
				g.Id("p").Qual(pkgModel, "Profiler")
				g.Id("base").Int()
			}
			if len(b.Consts) > 0 {
				g.Id("l").Op("*").Id(n.fn + "Weights")
			}
			for _, x := range b.Params {
				g.Id(n.params[x]).Add(emitType(x.Type))
			}
		}).BlockFunc(func(g *jen.Group) {
			e.within = n
			shared := false
			e.readsWeights(b.Steps, n, func(*plan.Weight) { shared = true })
			if shared {
				g.Id("w").Op(":=").Id("c").Dot("w")
			}
			e.emitSteps(g, b.Steps)
			e.within = nil
		})
	}
}

// emitTelling emits the steps of a run, and after each a call with the gradients that it completes:
//
//	c.s.complete(2, 3)
func (e *emitter) emitTelling(g *jen.Group) {
	complete := e.p.Complete()
	for i, s := range e.p.Steps {
		e.emitSteps(g, []plan.Step{s})
		if len(complete[i]) > 0 {
			g.Id("c").Dot("s").Dot("complete").CallFunc(func(g *jen.Group) {
				for _, k := range complete[i] {
					g.Lit(k)
				}
			})
		}
	}
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

// emitUpdates emits the steps of the second half of a split step that update one parameter, for the elements whose
// state the optimizer keeps:
//
//	for _, k := range c.s.kept[0] {
//		cpu.StepSGD(c.s.w[k.From:k.To], c.s.wM[k.At:k.End()], …)
//	}
func (e *emitter) emitUpdates(g *jen.Group, parameter *plan.State, steps []plan.Step) {
	i, divisible := slices.Index(e.p.Parameters(), parameter), e.p.Divisible(parameter)
	kept := jen.Id("c").Dot("s").Dot("kept").Index(jen.Lit(i))
	loop := jen.Range().Add(kept)
	if divisible {
		loop = jen.List(jen.Id("_"), jen.Id("k")).Op(":=").Range().Add(kept)
	}
	g.For(loop).BlockFunc(func(g *jen.Group) {
		if divisible {
			e.cut = parameter
			defer func() { e.cut = nil }()
		}
		for _, s := range steps {
			e.emitStep(g, s)
		}
	})
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

// emitRolled emits the call of one repetition. It grows operands before the call:
//
//	c.layers(&w.layers[3], c.add4, c.add3)
func (e *emitter) emitRolled(g *jen.Group, s *plan.Rolled) {
	for _, x := range s.Args {
		if s.Grows(x) {
			e.emitGrow(g, x, e.emitDim(x.Len))
		}
	}
	fn := e.blocks[s.Block].fn
	if e.marks != nil {
		fn = e.blocks[s.Block].profile
	}
	e.note("c."+fn, s)
	g.Id("c").Dot(fn).CallFunc(func(g *jen.Group) {
		if e.marks != nil {
			g.Id("p")
			g.Lit(e.marks.noteBlock(s.Steps))
			e.named = nil
		}
		if len(s.Block.Consts) > 0 {
			g.Op("&").Id("w").Dot(e.blocks[s.Block].fn).Index(jen.Lit(s.Index))
		}
		for _, x := range s.Args {
			g.Add(e.emitVar(x))
		}
	})
}

// emitNodeComment emits the node of a branch or a loop:
//
//	// if_1 (If)
func emitNodeComment(g *jen.Group, n *ir.Node) {
	g.Comment(lineOf(fmt.Sprintf("%s (%s)", n.Name, n.Op)))
}

// emitIf emits a branch:
//
//	// if_1 (If)
//	if c.cond[0] {
//		…
//	} else {
//		…
//	}
func (e *emitter) emitIf(g *jen.Group, s *plan.If) {
	e.emitMark(g, s.Node)
	emitNodeComment(g, s.Node)
	branch := g.If(e.emitPlace(s.Cond).Index(jen.Lit(0))).BlockFunc(func(g *jen.Group) { e.emitSteps(g, s.Then) })
	if len(s.Else) > 0 {
		branch.Else().BlockFunc(func(g *jen.Group) { e.emitSteps(g, s.Else) })
	}
}

// emitLoop emits a loop:
//
//	for i := int64(0); i < in.Trips[0] && c.cond[0]; i++ {
//		c.iter = append(c.iter[:0], i)
//		…
//	}
func (e *emitter) emitLoop(g *jen.Group, s *plan.Loop) {
	e.emitMark(g, s.Node)
	emitNodeComment(g, s.Node)
	e.emitSteps(g, s.Start)
	i := e.counter(e.loops)
	cond := e.emitPlace(s.Cond).Index(jen.Lit(0))
	if s.Trips != nil {
		cond = jen.Add(i).Op("<").Add(e.emitPlace(s.Trips)).Index(jen.Lit(0)).Op("&&").Add(cond)
	}
	count := e.syms[s.Count]
	if count != "" {
		g.Id("c").Dot(count).Op("=").Lit(0)
	}
	e.nested(func() {
		g.For(jen.Add(i).Op(":=").Int64().Call(jen.Lit(0)), cond, jen.Add(i).Op("++")).BlockFunc(func(g *jen.Group) {
			g.Add(e.emitPlace(s.Iter)).Op("=").Append(e.emitPlace(s.Iter).Index(jen.Op(":").Lit(0)), i)
			e.emitSteps(g, s.Body)
			if count != "" {
				g.Id("c").Dot(count).Op("++")
			}
		})
	})
}

// emitScan emits a loop over rows:
//
//	for i := range c.rows {
//		c.row = in.X[i*512 : (i+1)*512]
//		…
//	}
func (e *emitter) emitScan(g *jen.Group, s *plan.Scan) {
	e.emitMark(g, s.Node)
	emitNodeComment(g, s.Node)
	e.emitSteps(g, s.Start)
	i := e.counter(e.loops)
	e.nested(func() {
		g.For(jen.Add(i).Op(":=").Range().Add(e.emitDim(s.Rows))).BlockFunc(func(g *jen.Group) {
			for _, x := range s.Slices {
				g.Add(e.emitPlace(x.Dst)).Op("=").Add(e.emitRow(x.Src, i, x.Len, s.Rows, x.Back))
			}
			e.emitSteps(g, s.Body)
		})
	})
}

// emitRow emits row i of a variable, counted from the other end if back:
//
//	in.X[i*512:][:512]
func (e *emitter) emitRow(x *plan.Var, i *jen.Statement, n, rows ir.Dim, back bool) *jen.Statement {
	at := jen.Add(i)
	if back {
		at = jen.Parens(e.emitDim(rows).Op("-").Lit(1).Op("-").Add(i))
	}
	size := e.emitDim(n)
	if _, ok := n.Const(); !ok {
		size = jen.Parens(size)
	}
	return e.emitPlace(x).Index(at.Op("*").Add(size).Op(":")).Index(jen.Op(":").Add(e.emitDim(n)))
}

// counter returns the counter of a loop inside n others: i, i2, i3.
func (e *emitter) counter(n int) *jen.Statement {
	if n == 0 {
		return jen.Id("i")
	}
	return jen.Id(fmt.Sprint("i", n+1))
}

func (e *emitter) nested(f func()) {
	e.loops++
	f()
	e.loops--
}
