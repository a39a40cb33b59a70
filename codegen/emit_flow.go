package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

// emitIf emits a branch:
//
//	if c.cond[0] { // if_1 (If)
//		…
//	} else {
//		…
//	}
func (e *emitter) emitIf(g *jen.Group, s *plan.If) {
	e.emitMark(g, s.Node)
	g.Comment(fmt.Sprintf("%s (%s)", s.Node.Name, s.Node.Op))
	g.If(e.emitPlace(s.Cond).Index(jen.Lit(0))).BlockFunc(func(g *jen.Group) {
		e.emitSteps(g, s.Then)
	}).Else().BlockFunc(func(g *jen.Group) {
		e.emitSteps(g, s.Else)
	})
}

// emitLoop emits a loop:
//
//	for i := int64(0); i < in.Trips[0] && c.cond[0]; i++ {
//		c.iter = append(c.iter[:0], i)
//		…
//	}
func (e *emitter) emitLoop(g *jen.Group, s *plan.Loop) {
	e.emitMark(g, s.Node)
	g.Comment(fmt.Sprintf("%s (%s)", s.Node.Name, s.Node.Op))
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
	g.Comment(fmt.Sprintf("%s (%s)", s.Node.Name, s.Node.Op))
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
