package eval

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// env is the state of an evaluation.
type env struct {
	vals map[*ir.Value]tensor.Value
	syms map[string]int
	seen func(v *ir.Value, x tensor.Value) // called with the results of nodes; may be nil
	at   *ir.Node                          // the current or last node
	Limits
}

func newEnv() *env {
	portable()
	return &env{vals: map[*ir.Value]tensor.Value{}, syms: map[string]int{}}
}

// bind assigns a value to a parameter, and binds the symbols of its type.
func (e *env) bind(v *ir.Value, x tensor.Value) error {
	e.vals[v] = x
	t, ok := x.(*tensor.Tensor)
	if !ok || !v.Type.Ranked {
		return nil
	}
	if t.DType != v.Type.Elem || len(t.Shape) != len(v.Type.Shape) {
		return fmt.Errorf("got %s, want %s", t, v.Type)
	}
	for i, d := range v.Type.Shape {
		s, ok := d.Symbol()
		if ok {
			if _, known := e.syms[s]; !known {
				e.syms[s] = t.Shape[i]
			}
		}
		if n := e.dim(d); n != t.Shape[i] {
			return fmt.Errorf("axis %d is %d, want %s = %d", i, t.Shape[i], d, n)
		}
	}
	e.bindElems(v)
	return nil
}

// bindElems binds the symbols that stand for elements of v.
func (e *env) bindElems(v *ir.Value) {
	for k, s := range v.ElemSyms {
		if s == "" {
			continue
		}
		switch d := content(e.vals[v]).(type) {
		case []int64:
			e.syms[s] = ir.Int(d[k])
		case []int32:
			e.syms[s] = int(d[k])
		}
	}
}

func (e *env) value(v *ir.Value) tensor.Value {
	if x, ok := e.vals[v]; ok {
		return x
	}
	if v.Const != nil {
		return v.Const
	}
	x := e.alloc(v.Type)
	e.vals[v] = x
	return x
}

func (e *env) alloc(t ir.Type) tensor.Value {
	switch t.Kind {
	case ir.AnyRank:
		return tensor.New(t.Of.Elem, 0)
	case ir.Map:
		return &tensor.Map{}
	case ir.Sequence:
		switch {
		case t.Of.Kind == ir.Map && t.Of.Key == tensor.String:
			return &tensor.Maps[string]{}
		case t.Of.Kind == ir.Map:
			return &tensor.Maps[int64]{}
		}
		return &tensor.Sequence{Elem: t.Of.Elem}
	case ir.Optional:
		return &tensor.Optional{}
	}
	shape := e.dims(t.Shape)
	cpu.CheckRoom(t.Elem.Size(), shape)
	e.take(t.Elem, shape)
	return tensor.New(t.Elem, shape...)
}

// clone returns a copy of x.
func (e *env) clone(x *tensor.Tensor) *tensor.Tensor {
	e.take(x.DType, x.Shape)
	return x.Clone()
}

func (e *env) dim(d ir.Dim) int {
	bound := true
	n, ok := d.Eval(func(s string) (int, bool) {
		v, ok := e.syms[s]
		bound = bound && ok
		return v, ok
	})
	switch {
	case !bound:
		panic(fmt.Sprintf("BUG: size %s is not bound", d))
	case !ok: // such as the axis that Reshape finds among axes of no elements
		panic(&cpu.Error{Kernel: d.String(), Msg: "integer division by zero"})
	}
	return n
}

func (e *env) dims(ds []ir.Dim) []int {
	out := make([]int, len(ds))
	for i, d := range ds {
		out[i] = e.dim(d)
	}
	return out
}

func (e *env) all(vs []*ir.Value) []tensor.Value {
	out := make([]tensor.Value, len(vs))
	for i, v := range vs {
		if v != nil {
			out[i] = e.value(v)
		}
	}
	return out
}

// content returns the argument for a value: a tensor's slice, or the sequence or optional itself.
func content(v tensor.Value) any {
	if t, ok := v.(*tensor.Tensor); ok {
		return t.Data
	}
	return v
}
