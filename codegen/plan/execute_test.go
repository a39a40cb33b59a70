package plan

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// machine executes a plan as generated code would: values share the arena and the buffers, and memory that is
// not written holds garbage.
type machine struct {
	p     *Plan
	in    []tensor.Value
	arena []byte
	slots map[string]any // "float32s[2]" → the buffer
	held  map[*Var]any   // the slices that variables are set to
	syms  map[string]int
	bind  []map[*Var]*Var // of the blocks around the step: from parameter to operand
}

func execute(p *Plan, in []tensor.Value) ([]tensor.Value, error) {
	m := &machine{p: p, in: in, arena: tensor.Aligned(p.Arena), slots: map[string]any{}, held: map[*Var]any{}, syms: map[string]int{}}
	for i := range m.arena {
		m.arena[i] = 0x7f // large numbers and NaN
	}
	for i, port := range p.Inputs {
		t := in[i].(*tensor.Tensor)
		for k, d := range port.Value.Type.Shape {
			if s, ok := d.Symbol(); ok {
				m.syms[s] = t.Shape[k]
			}
		}
	}
	if err := m.steps(p.Steps); err != nil {
		return nil, err
	}
	var out []tensor.Value
	for _, port := range p.Outputs {
		x := port.Var
		if x == nil {
			x = port.Source
		}
		t := tensor.New(port.Value.Type.Elem, m.dims(port.Value.Type.Shape)...)
		t.Data = m.slice(x)
		out = append(out, t.Clone())
	}
	return out, nil
}

func (m *machine) dim(d ir.Dim) int {
	n, ok := d.Eval(func(s string) (int, bool) { v, ok := m.syms[s]; return v, ok })
	if !ok {
		panic(fmt.Sprintf("size %s is not bound", d))
	}
	return n
}

func (m *machine) dims(s []ir.Dim) []int {
	out := make([]int, len(s))
	for i, d := range s {
		out[i] = m.dim(d)
	}
	return out
}

// operand returns the operand of a block's parameter in this repetition.
func (m *machine) operand(x *Var) *Var {
	for _, b := range slices.Backward(m.bind) {
		if y := b[x]; y != nil {
			x = y
		}
	}
	return x
}

// slice returns the memory of a variable.
func (m *machine) slice(x *Var) any {
	x = m.operand(x)
	switch x.Place {
	case Input:
		return m.in[x.Index].(*tensor.Tensor).Data
	case Constant:
		return m.p.Weights[x.Index].Data.Data
	case Arena:
		n, _ := x.Len.Const()
		t := tensor.New(x.Type.Elem, n)
		return viewLike(t, m.arena[x.Off:])
	}
	if m.held[x] == nil {
		m.held[x] = tensor.New(x.Type.Elem, 0).Data
	}
	return m.held[x]
}

// viewLike returns the bytes at b as a slice of t's type and length.
func viewLike(t *tensor.Tensor, b []byte) any {
	switch d := t.Data.(type) {
	case []float32:
		return tensor.View[float32](b, 0, len(d))
	case []int64:
		return tensor.View[int64](b, 0, len(d))
	case []bool:
		return tensor.View[bool](b, 0, len(d))
	}
	panic("no view of " + t.DType.String())
}

// take allocates n elements for x; shared buffers keep their content.
func (m *machine) take(x *Var, n int) {
	x = m.operand(x)
	switch x.Place {
	case Slot:
		k := fmt.Sprint(x.Type.Elem, x.Off)
		if buf, ok := m.slots[k]; !ok || lenOf(buf) < n {
			m.slots[k] = garbage(tensor.New(x.Type.Elem, n)).Data
		}
		m.held[x] = cut(m.slots[k], n)
	case Own, Output:
		m.held[x] = garbage(tensor.New(x.Type.Elem, n)).Data
	}
}

func garbage(t *tensor.Tensor) *tensor.Tensor {
	if t.DType != tensor.Bool {
		for i := range t.Bytes() {
			t.Bytes()[i] = 0x7f
		}
	}
	return t
}

func lenOf(s any) int {
	switch s := s.(type) {
	case []float32:
		return len(s)
	case []int64:
		return len(s)
	case []bool:
		return len(s)
	}
	panic("no such slice")
}

func cut(s any, n int) any {
	switch s := s.(type) {
	case []float32:
		return s[:n]
	case []int64:
		return s[:n]
	case []bool:
		return s[:n]
	}
	panic("no such slice")
}

// assign sets dst to src; to is the number of first elements of dst that are kept.
func (m *machine) assign(dst, src *Var, keep bool) {
	d, s := m.slice(dst), m.slice(src)
	if m.operand(dst).Place == Arena {
		copyInto(d, s)
		return
	}
	old := cut(d, 0)
	if keep {
		old = d
	}
	m.held[m.operand(dst)] = joined(old, s)
}

func copyInto(d, s any) {
	switch s := s.(type) {
	case []float32:
		copy(d.([]float32), s)
	case []int64:
		copy(d.([]int64), s)
	case []bool:
		copy(d.([]bool), s)
	}
}

func joined(d, s any) any {
	switch s := s.(type) {
	case []float32:
		return append(slices.Clone(d.([]float32)), s...)
	case []int64:
		return append(slices.Clone(d.([]int64)), s...)
	case []bool:
		return append(slices.Clone(d.([]bool)), s...)
	}
	panic("no such slice")
}

func (m *machine) steps(steps []Step) error {
	for _, s := range steps {
		if err := m.step(s); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) step(s Step) error {
	switch s := s.(type) {
	case *Call:
		return m.call(s)
	case *Chain:
		return m.chain(s)
	case *Grow:
		if m.operand(s.Var) == s.Var || len(m.bind) == 0 { // the caller has grown the operands
			m.take(s.Var, m.dim(s.Var.Len))
		}
	case *Copy:
		m.assign(s.Dst, s.Src, false)
	case *Append:
		m.assign(s.Dst, s.Src, true)
	case *Clear:
		m.held[m.operand(s.Var)] = cut(m.slice(s.Var), 0)
	case *Bind:
		m.bindSyms(s)
	case *If:
		if m.slice(s.Cond).([]bool)[0] {
			return m.steps(s.Then)
		}
		return m.steps(s.Else)
	case *Loop:
		return m.loop(s)
	case *Rolled:
		return m.rolled(s)
	default:
		return fmt.Errorf("step %T", s)
	}
	return nil
}

func (m *machine) call(c *Call) error {
	vals := map[*ir.Value]tensor.Value{}
	Operands(c.Call, func(v *ir.Value) {
		t := &tensor.Tensor{DType: v.Type.Elem, Shape: m.dims(v.Type.Shape)}
		t.Data = m.slice(m.p.Var(v))
		vals[v] = t
	})
	if err := eval.Call(c.Call, vals, m.syms); err != nil {
		return fmt.Errorf("%s: %w", c.Node, err)
	}
	return nil
}

func (m *machine) bindSyms(s *Bind) {
	vals := make([]int, len(s.Syms))
	for i, v := range s.Values {
		switch v := v.(type) {
		case ir.Dim:
			vals[i] = m.dim(v)
		case Elem:
			vals[i] = int(m.slice(v.Var).([]int64)[v.Index])
		}
	}
	for i, x := range s.Syms {
		m.syms[x] = vals[i]
	}
}

func (m *machine) loop(s *Loop) error {
	if err := m.steps(s.Start); err != nil {
		return err
	}
	if s.Count != "" {
		m.syms[s.Count] = 0
	}
	for i := int64(0); (s.Trips == nil || i < m.slice(s.Trips).([]int64)[0]) && m.slice(s.Cond).([]bool)[0]; i++ {
		m.held[s.Iter] = []int64{i}
		if err := m.steps(s.Body); err != nil {
			return err
		}
		if s.Count != "" {
			m.syms[s.Count]++
		}
	}
	return nil
}

// rolled runs one repetition of the block's steps, as generated code does.
func (m *machine) rolled(s *Rolled) error {
	for _, x := range s.Args {
		if s.Grows(x) {
			m.take(x, m.dim(x.Len))
		}
	}
	b := map[*Var]*Var{}
	for i, x := range s.Block.Params {
		b[x] = s.Args[i]
	}
	for i, x := range s.Block.Consts {
		for _, w := range m.p.Weights {
			if w == s.Block.Weights[s.Index][i] {
				b[x] = &Var{Place: Constant, Index: slices.Index(m.p.Weights, w), Type: x.Type}
			}
		}
	}
	m.bind = append(m.bind, b)
	defer func() { m.bind = m.bind[:len(m.bind)-1] }()
	return m.steps(s.Block.Steps)
}
