package plan

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// span is the elements that a chain processes at a time: lo to hi of all. It consists of whole rows, or is a
// part of a row.
type chainPart struct{ lo, hi, row, from, rows int }

// chain runs a chain on small parts, with buffers that parts share.
func (m *machine) chain(c *Chain) error {
	rows, n := m.dim(c.Rows), m.dim(c.Len)
	if c.ByRow || rows < 2 {
		for r := range rows {
			for from := 0; from < n; from += 3 {
				to := min(from+3, n)
				if err := m.chainPart(c, chainPart{r*n + from, r*n + to, r, from, 0}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for r := 0; r < rows; r += 2 {
		k := min(2, rows-r)
		if err := m.chainPart(c, chainPart{r * n, (r + k) * n, r, 0, k}); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) chainPart(c *Chain, p chainPart) error {
	places := make([]any, c.Places)
	at := map[*Var]int{}
	for _, t := range c.Temps {
		at[m.p.Var(t.Value)] = t.Place
	}
	walks := map[*Var]*Operand{}
	for _, o := range c.Operands {
		walks[m.p.Var(o.Value)] = o
	}
	for _, s := range c.Calls {
		vals := map[*ir.Value]tensor.Value{}
		Operands(s.Call, func(v *ir.Value) {
			t := tensor.New(v.Type.Elem, p.hi-p.lo)
			if k, ok := at[m.p.Var(v)]; ok {
				if v == s.Node.Out[0] && (places[k] == nil || fmt.Sprintf("%T", places[k]) != fmt.Sprintf("%T", t.Data)) {
					places[k] = garbage(t).Data
				}
				t.Data = places[k]
			} else {
				t.Data = m.operandPart(walks[m.p.Var(v)], p, m.dim(c.Len))
			}
			t.Shape = []int{lenOf(t.Data)}
			vals[v] = t
		})
		if err := eval.Call(s.Call, vals, m.syms); err != nil {
			return fmt.Errorf("%s: %w", s.Node, err)
		}
	}
	return nil
}

// operandPart returns a part of an operand.
func (m *machine) operandPart(o *Operand, p chainPart, n int) any {
	all := m.slice(m.p.Var(o.Value))
	switch o.Kind {
	case Single:
		return all
	case Along:
		return between(all, p.lo, p.hi)
	case EachRow:
		if p.rows == 0 {
			return between(all, p.from, p.from+p.hi-p.lo)
		}
		wide := cut(all, 0)
		for range p.rows {
			wide = joined(wide, all)
		}
		return wide
	}
	size := 1
	if o.Run {
		size = n
	}
	k := p.row / m.dim(o.Each) % (lenOf(all) / size) * size
	if o.Run {
		return between(all, k+p.from, k+p.from+p.hi-p.lo)
	}
	return between(all, k, k+1)
}

func between(s any, lo, hi int) any {
	switch s := s.(type) {
	case []float32:
		return s[lo:hi]
	case []int64:
		return s[lo:hi]
	case []bool:
		return s[lo:hi]
	}
	panic("no such slice")
}
