package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

// computeEmitter prints a computation of a partition: a context like that of a model, and a method that takes
// and returns tensors.
type computeEmitter struct {
	*emitter
	*peerplan.Compute
}

func newCompute(c *peerplan.Compute, opt Options) *computeEmitter {
	e := newPart(nil, c.Plan, opt, c.Part, nil)
	e.base = c.Base
	return &computeEmitter{e, c}
}

// emitCompute emits the file of a computation.
func (e *partitionEmitter) emitCompute(f *jen.File, c *computeEmitter) {
	c.emitPorts(f)
	c.emitGraph(f)
	c.emitCall(f)
	c.emitConstants(f)
}

// emitPorts emits the structs of inputs and outputs: slices of the callers' memory.
func (c *computeEmitter) emitPorts(f *jen.File) {
	in, out := c.portTypes()
	f.Comment(in + " is what " + c.part + " reads.")
	f.Type().Id(in).StructFunc(func(g *jen.Group) {
		for _, s := range c.sizes {
			g.Id(c.field[s]).Int().Comment("the size " + s + " below")
		}
		for _, p := range c.p.Inputs {
			g.Id(c.ins[p]).Add(emitType(p.Value.Type)).Comment(portComment(p))
		}
	})
	f.Comment(out + " is what " + c.part + " writes.")
	f.Type().Id(out).StructFunc(c.emitWritten)
}

// params returns the names of the parameters and results of the method call.
func (c *computeEmitter) params() (in, out []string) {
	n := ident.NewLocals("c", "err", "tensor", "fault", "values", "cpu")
	for _, p := range c.p.Inputs {
		in = append(in, n.Local(ident.Short(p.Value.Name)))
	}
	for _, p := range c.p.Outputs {
		out = append(out, n.Local(ident.Short(p.Value.Name)))
	}
	return in, out
}

// emitCall emits the method that blocks call:
//
//	func (c *forwardContext) call(x tensor.Dense[float32], h *tensor.Dense[float32]) error {
//		if err := values.CheckShape("x", x.Shape, values.Open, 784); err != nil {
//			return err
//		}
//		c.in.Batch = x.Shape[0]
//		c.in.X = x.Data
//		h.Make(c.in.Batch, 10)
//		c.out.H = h.Data
//		c.run(&c.in, &c.out)
//		h.Data, h.Shape = c.out.H, append(h.Shape[:0], c.out.HShape[:]...)
//		c.in, c.out = forwardInputs{}, forwardOutputs{} // else large values would outlive their frame
//		return nil
//	}
func (c *computeEmitter) emitCall(f *jen.File) {
	in, out := c.params()
	table, failed := sites(c.emitter), jen.Error()
	if table != nil {
		failed = jen.Err().Error()
	}
	f.Comment(fmt.Sprintf("call computes %s. Results are written to the memory of the values that they", callText(in, out)))
	f.Comment("replace.")
	f.Func().Params(jen.Id("c").Op("*").Id(c.name("context"))).Id("call").ParamsFunc(func(g *jen.Group) {
		for i, p := range c.p.Inputs {
			g.Id(in[i]).Add(emitOperand(p.Value.Type, false))
		}
		for i, p := range c.p.Outputs {
			g.Id(out[i]).Add(emitOperand(p.Value.Type, true))
		}
	}).Params(failed).BlockFunc(func(g *jen.Group) {
		if table != nil {
			g.Defer().Qual(pkgFault, "Catch").Call(append([]jen.Code{jen.Lit(c.part), jen.Op("&").Err()}, table...)...)
		}
		for i, p := range c.p.Inputs {
			if len(p.Value.Type.Shape) > 0 {
				emitShapeCheck(g, in[i], p.Value.Type)
			}
		}
		c.emitSizes(g, in)
		for i, p := range c.p.Inputs {
			g.Id("c").Dot("in").Dot(c.ins[p]).Op("=").Add(emitData(in[i], p.Value.Type))
		}
		for i, p := range c.p.Outputs {
			c.emitMake(g, out[i], p)
			g.Id("c").Dot("out").Dot(c.outs[p]).Op("=").Add(emitData(out[i], p.Value.Type))
		}
		g.Id("c").Dot("run").Call(jen.Op("&").Id("c").Dot("in"), jen.Op("&").Id("c").Dot("out"))
		for i, p := range c.p.Outputs {
			c.emitTake(g, out[i], p)
		}
		c.emitForget(g)
		g.Return(jen.Nil())
	})
}

// emitMake emits the allocation of shared memory for a result that may be large, if its sizes are known
// before the run.
func (c *computeEmitter) emitMake(g *jen.Group, name string, p *plan.Port) {
	t := p.Value.Type
	if !peerplan.MayBeLarge(t) || !c.sizesKnown(t) {
		return
	}
	g.Id(name).Dot("Make").CallFunc(func(g *jen.Group) {
		for _, d := range t.Shape {
			g.Add(c.emitSize(d))
		}
	})
}

// sizesKnown reports whether all sizes of a type follow from those of the operands.
func (c *computeEmitter) sizesKnown(t ir.Type) bool {
	known := map[string]bool{}
	for _, p := range c.p.Inputs {
		for _, d := range p.Value.Type.Shape {
			if s, ok := d.Symbol(); ok {
				known[s] = true
			}
		}
	}
	all := true
	for _, d := range t.Shape {
		d.Syms(func(s string) { all = all && known[s] })
	}
	return all
}

// emitSize emits a size before a run, from the sizes of the operands.
func (c *computeEmitter) emitSize(d ir.Dim) *jen.Statement {
	return emitDim(d, func(s string) *jen.Statement { return jen.Id("c").Dot("in").Dot(c.field[s]) })
}

// emitForget emits code that clears the context's references to memory of frames that may be large.
func (c *computeEmitter) emitForget(g *jen.Group) {
	large := func(p *plan.Port) bool { return peerplan.MayBeLarge(p.Value.Type) }
	if !slices.ContainsFunc(c.p.Inputs, large) && !slices.ContainsFunc(c.p.Outputs, large) {
		return
	}
	in, out := c.portTypes()
	g.List(jen.Id("c").Dot("in"), jen.Id("c").Dot("out")).Op("=").List(jen.Id(in).Values(), jen.Id(out).Values()).
		Comment("else large values would outlive their frame")
}

// emitTake emits the transfer of a result from the context:
//
//	h.Data, h.Shape = c.out.H, append(h.Shape[:0], 1, 10)
//	*loss = c.out.Loss[0]
func (c *computeEmitter) emitTake(g *jen.Group, name string, p *plan.Port) {
	from := jen.Id("c").Dot("out").Dot(c.outs[p])
	if len(p.Value.Type.Shape) == 0 {
		g.Op("*").Id(name).Op("=").Add(from).Index(jen.Lit(0))
		return
	}
	shape := []jen.Code{jen.Id(name).Dot("Shape").Index(jen.Op(":").Lit(0))}
	if varies(p) {
		shape = append(shape, jen.Id("c").Dot("out").Dot(c.outs[p]+"Shape").Index(jen.Op(":")).Op("..."))
	} else {
		for _, d := range p.Value.Type.Shape {
			shape = append(shape, c.emitDim(d))
		}
	}
	g.List(jen.Id(name).Dot("Data"), jen.Id(name).Dot("Shape")).Op("=").List(from, jen.Append(shape...))
}

// emitSizes emits the sizes of operands, and checks that sizes with the same name agree:
//
//	c.in.Batch = x.Shape[0]
//	if err := values.CheckShape("labels", labels.Shape, c.in.Batch); err != nil {
func (c *computeEmitter) emitSizes(g *jen.Group, in []string) {
	known := map[string]bool{}
	for i, p := range c.p.Inputs {
		again := false
		for k, d := range p.Value.Type.Shape {
			s, ok := d.Symbol()
			switch {
			case !ok:
			case known[s]:
				again = true
			default:
				known[s] = true
				g.Id("c").Dot("in").Dot(c.field[s]).Op("=").Id(in[i]).Dot("Shape").Index(jen.Lit(k))
			}
		}
		if again {
			args := []jen.Code{jen.Lit(in[i]), jen.Id(in[i]).Dot("Shape")}
			for _, d := range p.Value.Type.Shape {
				args = append(args, c.emitSize(d))
			}
			emitIfErr(g, jen.Qual(pkgValues, "CheckShape").Call(args...))
		}
	}
}

// emitOperand emits the Go type of a parameter of a computation. Numbers and results are passed by address.
func emitOperand(t ir.Type, result bool) *jen.Statement {
	if result || t.Ranked && len(t.Shape) == 0 {
		return jen.Op("*").Add(emitValueType(t))
	}
	return emitValueType(t)
}

// emitData emits the elements of an operand.
func emitData(name string, t ir.Type) *jen.Statement {
	if t.Ranked && len(t.Shape) == 0 {
		return jen.Qual(pkgTensor, "One").Call(jen.Id(name))
	}
	return jen.Id(name).Dot("Data")
}

// callText describes a computation in words: "h and loss of x and labels".
func callText(in, out []string) string {
	if len(in) == 0 {
		return list(out)
	}
	return list(out) + " of " + list(in)
}
