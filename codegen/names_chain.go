package codegen

import (
	"fmt"
	"strings"

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
func (e *names) nameChains() {
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
func (e *names) chainKey(c *plan.Chain) string {
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

func (e *names) newChainType(c *plan.Chain) *chainType {
	field := fmt.Sprint("chain", len(e.chainTypes)+1)
	n := &chainType{Chain: c, typ: e.name(field), field: field, vars: map[*plan.Var]string{}}
	locals := ident.NewLocals("o", "p", "cpu", "math", "tensor")
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
