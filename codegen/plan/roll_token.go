package plan

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// tokens returns a number for each step. Steps with the same number differ only in the variables they use; a negative
// number is that of a single step, which cannot be part of a block.
func (r *roller) tokens() []int {
	number := map[string]int{}
	out := make([]int, len(r.Steps))
	for i, s := range r.Steps {
		key := ""
		if r.Updates(s) == nil { // else it runs only if this parameter is to be updated
			key = r.token(s)
		}
		if key == "" {
			out[i] = -1 - i
			continue
		}
		if _, ok := number[key]; !ok {
			number[key] = len(number)
		}
		out[i] = number[key]
	}
	return out
}

// token returns a key that is equal for steps which differ only in the variables they use. It is empty for a
// step that cannot be part of a block.
func (p *Plan) token(s Step) string {
	var t strings.Builder
	switch s := s.(type) {
	case *Call:
		if len(s.Binds) > 0 || len(s.Node.Syms) > 0 {
			return ""
		}
		t.WriteString(s.Kernel)
		for _, a := range s.Args {
			p.argToken(&t, a)
		}
	case *Chain:
		p.chainToken(&t, s)
	case *Grow:
		t.WriteString("grow ")
		p.varToken(&t, s.Var)
	case *Copy, *Bind, *Clear, *Append, *Row, *If, *Loop, *Scan, *Rolled:
		return ""
	default:
		unknown(s)
	}
	return t.String()
}

// chainToken adds the places of intermediate results to the key.
func (p *Plan) chainToken(t *strings.Builder, c *Chain) {
	places := map[*Var]int{}
	for _, x := range c.Temps {
		places[p.byValue[x.Value]] = x.Place
	}
	for _, s := range c.Calls {
		t.WriteString(" " + s.Kernel)
		for _, a := range s.Args {
			if v, ok := a.(*ir.Value); ok && v != nil {
				if k, ok := places[p.byValue[v]]; ok {
					fmt.Fprintf(t, " temp%d", k)
					continue
				}
			}
			p.argToken(t, a)
		}
	}
	for _, o := range c.Operands {
		fmt.Fprintf(t, " %v", o.Walk)
	}
}

func (p *Plan) argToken(t *strings.Builder, a any) {
	switch a := a.(type) {
	case *ir.Value:
		if a == nil {
			t.WriteString(" nil")
			return
		}
		p.varToken(t, p.byValue[a])
	case op.Boxed:
		fmt.Fprintf(t, " boxed %v", a.Type)
		p.varToken(t, p.byValue[a.Value])
	case op.Whole:
		p.argToken(t, a.Value)
	case op.Struct:
		t.WriteString(" " + a.Type)
		for _, f := range a.Fields {
			t.WriteString("." + f.Name)
			p.argToken(t, f.Value)
		}
	default:
		fmt.Fprintf(t, " %v", a)
	}
}

func (p *Plan) varToken(t *strings.Builder, x *Var) {
	fmt.Fprintf(t, " %v:%v:%v", x.Type.Elem, x.Len, x.Place == Constant)
}
