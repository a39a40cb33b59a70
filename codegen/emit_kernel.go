package codegen

import (
	"path"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

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
	case !fits(stmt, maxCommented):
		g.Comment(lineOf(s.Node.Name))
		g.Add(stmt)
	default:
		g.Add(stmt.Comment(lineOf(s.Node.Name)))
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
		if varies(p) {
			g.Id("out").Dot(e.outs[p] + "Shape").Op("=").Index(jen.Lit(len(p.Value.Type.Shape))).Int().ValuesFunc(func(g *jen.Group) {
				for _, d := range p.Value.Type.Shape {
					g.Add(e.emitDim(d))
				}
			})
		}
	}
}
