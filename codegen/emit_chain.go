package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// chainType is a struct type shared by chains that differ only in their operands. It has the names of the
// first such chain.
type chainType struct {
	*plan.Chain
	typ, field string
	count      int                  // number of chains with this type
	fields     []string             // by operand
	vars       map[*plan.Var]string // operands, and intermediate results
	temps      []*chainTemp
}

// chainTemp is a variable for intermediate results in one place.
type chainTemp struct {
	name  string
	place int
	elem  tensor.DType
}

// nameChains chooses the names of the plan's chains.
func (e *emitter) nameChains() {
	known := map[string]*chainType{}
	var name func(steps []plan.Step)
	name = func(steps []plan.Step) {
		for _, s := range steps {
			if c, ok := s.(*plan.Chain); ok {
				key := e.chainKey(c)
				if known[key] == nil {
					known[key] = e.newChainType(c)
				}
				known[key].count++
				e.chains[c] = known[key]
			}
			for _, body := range plan.Bodies(s) {
				name(body)
			}
		}
	}
	name(e.p.Steps)
	for _, b := range e.p.Blocks {
		name(b.Steps)
	}
}

// chainKey returns a key that is equal for chains which differ only in the variables that they use, and in
// sizes that no part depends on.
func (e *emitter) chainKey(c *plan.Chain) string {
	var t strings.Builder
	names := map[*plan.Var]string{}
	for _, x := range c.Temps {
		names[e.p.Var(x.Value)] = fmt.Sprint("temp", x.Place, x.Type.Elem)
	}
	for i, x := range e.operands(c) {
		names[x.v] = fmt.Sprint("operand", i)
		fmt.Fprint(&t, x.Type.Elem, x.Walk, x.Place, " ")
	}
	for _, s := range c.Calls {
		fmt.Fprint(&t, s.Kernel)
		for _, a := range s.Args {
			if w, ok := a.(op.Whole); ok {
				a = w.Value
			}
			if v, ok := a.(*ir.Value); ok && v != nil {
				a = names[e.p.Var(v)]
			}
			fmt.Fprintf(&t, " %T %v", a, a)
		}
	}
	return t.String()
}

func (e *emitter) newChainType(c *plan.Chain) *chainType {
	field := fmt.Sprint("chain", len(e.chainTypes)+1)
	n := &chainType{Chain: c, typ: e.name(field), field: field, vars: map[*plan.Var]string{}}
	locals := ident.NewScope("o", "p", "cpu", "tensor")
	for _, t := range c.Temps {
		n.vars[e.p.Var(t.Value)] = n.temp(t, locals)
	}
	for _, x := range e.operands(c) {
		n.vars[x.v] = locals.Local(ident.Short(x.v.Value.Name))
		n.fields = append(n.fields, n.vars[x.v])
	}
	e.chainTypes = append(e.chainTypes, n)
	return n
}

// temp returns the variable for a place and an element type.
func (n *chainType) temp(t *plan.Temp, locals *ident.Scope) string {
	for _, have := range n.temps {
		if have.place == t.Place && have.elem == t.Type.Elem {
			return have.name
		}
	}
	name := locals.Local("t")
	n.temps = append(n.temps, &chainTemp{name, t.Place, t.Type.Elem})
	return name
}

// emitChain emits a chain of elementwise calls:
//
//	// y, and 2 nodes before it
//	c.chain1 = chain1{x: in.X, y: out.Y}
//	cpu.InParts(&c.chain1, cpu.Parts{Rows: 1, Len: c.batch * 512, Temps: 1, Calls: 3})
func (e *emitter) emitChain(g *jen.Group, c *plan.Chain) {
	e.emitChainMark(g, c)
	e.named = nil
	n := e.chains[c]
	g.Comment(chainText(c))
	g.Id("c").Dot(n.field).Op("=").Id(n.typ).ValuesFunc(func(g *jen.Group) {
		for i, x := range e.operands(c) {
			g.Id(n.fields[i]).Op(":").Add(e.emitPlace(x.v))
		}
	})
	e.note("cpu.InParts", c)
	g.Qual(pkgCPU, "InParts").Call(jen.Op("&").Id("c").Dot(n.field), jen.Qual(pkgCPU, "Parts").ValuesFunc(func(g *jen.Group) {
		g.Id("Rows").Op(":").Add(e.emitDim(c.Rows))
		g.Id("Len").Op(":").Add(e.emitDim(c.Len))
		if c.ByRow {
			g.Id("ByRow").Op(":").True()
		}
		if c.Places > 0 {
			g.Id("Temps").Op(":").Lit(c.Places)
		}
		g.Id("Calls").Op(":").Lit(len(c.Calls))
	}))
}

func chainText(c *plan.Chain) string {
	if len(c.Calls) == 2 {
		return c.Node().Name + ", and the node before it"
	}
	return fmt.Sprintf("%s, and %d nodes before it", c.Node().Name, len(c.Calls)-1)
}

// chainOperand is a field of a chain's struct.
type chainOperand struct {
	*plan.Operand
	v *plan.Var
}

// operands returns the operands of a chain, each variable once. A result written over an operand has the
// operand's variable.
func (e *emitter) operands(c *plan.Chain) []chainOperand {
	var out []chainOperand
	for _, o := range c.Operands {
		x := e.p.Var(o.Value)
		if !slices.ContainsFunc(out, func(p chainOperand) bool { return p.v == x }) {
			out = append(out, chainOperand{o, x})
		}
	}
	return out
}

// emitChains emits the type of each chain, and its method for a part:
//
//	// chain1 is 3 nodes in one pass over memory: its operands, of which Part computes a part.
//	type chain1 struct{ x, y []float32 }
//
//	func (o *chain1) Part(p *cpu.Part) {
//		x := o.x[p.Lo:p.Hi]
//		y := o.y[p.Lo:p.Hi]
//		t := cpu.Temp[float32](p, 0)
//		cpu.Sigmoid(t, x) // sigmoid_1
//		…
func (e *emitter) emitChains(f *jen.File) {
	for _, n := range e.chainTypes {
		text := fmt.Sprintf("%s holds the operands of %d nodes that are computed in one pass over memory", n.typ, len(n.Calls))
		if n.count > 1 {
			text += fmt.Sprintf(":\nthose of %d such chains; the names in it are those of the first", n.count)
		}
		for line := range strings.Lines(text + ".") {
			f.Comment(strings.TrimSpace(line))
		}
		f.Type().Id(n.typ).StructFunc(func(g *jen.Group) {
			for i, x := range e.operands(n.Chain) {
				field := g.Id(n.fields[i]).Add(emitType(x.Type))
				if n.count == 1 {
					field.Comment(x.Type.String())
				}
			}
		})
		f.Comment("Part computes a part of the elements.")
		f.Func().Params(jen.Id("o").Op("*").Id(n.typ)).Id("Part").Params(jen.Id("p").Op("*").Qual(pkgCPU, "Part")).BlockFunc(func(g *jen.Group) {
			for i, x := range e.operands(n.Chain) {
				g.Id(n.fields[i]).Op(":=").Add(emitPart(jen.Id("o").Dot(n.fields[i]), x.Operand))
			}
			for _, t := range n.temps {
				g.Id(t.name).Op(":=").Qual(pkgCPU, "Temp").Index(emitElem(t.elem)).Call(jen.Id("p"), jen.Lit(t.place))
			}
			e.chain = n
			for _, s := range n.Calls {
				g.Add(e.emitKernel(s).Comment(s.Node.Name))
			}
			e.chain = nil
		})
	}
}

// emitPart emits the slice of an operand that a part accesses:
//
//	o.x[p.Lo:p.Hi]
//	cpu.EachRow(p, 0, o.scale)
//	cpu.OfRow(p, 1, o.mean, 1)
func emitPart(x *jen.Statement, o *plan.Operand) *jen.Statement {
	p := jen.Id("p")
	switch o.Kind {
	case plan.Single:
		return x
	case plan.Along:
		return x.Index(p.Clone().Dot("Lo"), p.Clone().Dot("Hi"))
	case plan.EachRow:
		return jen.Qual(pkgCPU, "EachRow").Call(p, jen.Lit(o.Place), x)
	}
	fn := "OfRow"
	if o.Run {
		fn = "RowOf"
	}
	return jen.Qual(pkgCPU, fn).Call(p, jen.Lit(o.Place), x, emitDim(o.Each, nil))
}

// emitChainMark emits the start of a chain as a node in the profile, if this run is profiled.
func (e *emitter) emitChainMark(g *jen.Group, c *plan.Chain) {
	if e.marks == nil {
		return
	}
	work, bytes := ir.C(0), ir.C(0)
	for _, s := range c.Calls {
		work = work.Add(op.Lookup(s.Node).Work(s.Node))
	}
	for _, o := range c.Operands {
		bytes = bytes.Add(ir.Size(o.Type.Shape).Mul(ir.C(o.Type.Elem.Size())))
	}
	e.emitBegin(g, e.marks.noted(e.within != nil, c.Node().Name, chainOps(c)), work, bytes)
	if e.within == nil {
		e.marks.noteChain(c)
	}
}

// chainOps returns the operators of a chain, in order: Mul+Erf+Add.
func chainOps(c *plan.Chain) string {
	var ops []string
	for _, s := range c.Calls {
		ops = append(ops, s.Node.Op)
	}
	return strings.Join(ops, "+")
}
