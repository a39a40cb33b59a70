package plan

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// builder turns nodes into steps.
type builder struct {
	*Plan
	packed  map[packKey]*Var
	last    map[*ir.Value]*ir.Node  // the last node that reads a value
	base    map[*ir.Value]*ir.Value // the value that a view refers to
	planned map[*ir.Node]bool
	bound   map[string]bool // the symbols of the plan
}

type packKey struct {
	value  *ir.Value
	packer string
	dims   string
}

func newBuilder(t *target.Target) *builder {
	return &builder{
		Plan:    &Plan{target: t, Slots: map[tensor.DType]int{}, byValue: map[*ir.Value]*Var{}, scratch: map[*ir.Value]bool{}, carried: map[*ir.Value]*ir.Value{}},
		packed:  map[packKey]*Var{},
		planned: map[*ir.Node]bool{},
		bound:   map[string]bool{},
	}
}

// place makes a variable for v at the given place.
func (b *builder) place(v *ir.Value, where Place, index int) *Var {
	x := &Var{Value: v, Place: where, Index: index, Type: v.Type, Len: ir.Size(v.Type.Shape)}
	b.byValue[v] = x
	return x
}

// define returns the variable for a node's output or scratch memory.
func (b *builder) define(v *ir.Value) *Var {
	if x := b.byValue[v]; x != nil {
		return x
	}
	where := Arena
	if _, ok := ir.Size(v.Type.Shape).Const(); !ok {
		where = Slot
	}
	if v.Type.Kind != ir.Tensor || v.Type.Elem.Size() == 0 {
		where = Own
	}
	x := b.place(v, where, 0)
	b.Vars = append(b.Vars, x)
	return x
}

// use returns the variable of a value that is read.
func (b *builder) use(v *ir.Value) *Var {
	if x := b.byValue[v]; x != nil {
		return x
	}
	if v.Const == nil {
		panic(fmt.Sprintf("BUG: value %q is read before it is defined", v.Name))
	}
	x := b.place(v, Constant, len(b.Weights))
	b.Weights = append(b.Weights, &Weight{Name: v.Name, Data: v.Const})
	return x
}

// own returns a variable with a buffer of its own, for a value that changes from iteration to iteration.
func (b *builder) own(v *ir.Value) *Var {
	x := b.place(v, Own, 0)
	b.Vars = append(b.Vars, x)
	b.freeSyms(v)
	return x
}

// temp returns a variable for a copy of x.
func (b *builder) temp(x *Var) *Var {
	v := &ir.Value{Name: x.Value.Name + "_copy", Type: x.Type}
	t := b.place(v, Own, 0)
	b.Vars = append(b.Vars, t)
	return t
}

// pack returns the variable of a constant in the layout of a packer.
func (b *builder) pack(p op.Packed) *Var {
	k := packedKey(p)
	if x := b.packed[k]; x != nil {
		return x
	}
	x := b.use(ir.NewConst(p.Name+"_packed", eval.Pack(p)))
	b.packed[k] = x
	return x
}

// derive returns the variable of a value derived from a packed constant at program start.
func (b *builder) derive(d op.Derived) *Var {
	k := packKey{d.Value, d.Packer + " " + d.Maker, fmt.Sprint(d.Dims, d.Sizes)}
	if x := b.packed[k]; x != nil {
		return x
	}
	x := b.use(ir.NewConst(d.Name+"_made", b.packedData(d.Packed)))
	w := b.Weights[x.Index]
	w.Maker, w.Sizes = d.Maker, d.Sizes
	b.packed[k] = x
	return x
}

// packedData returns a constant in the layout of a packer. If a kernel reads it as it is, too, the file has it once.
func (b *builder) packedData(p op.Packed) *tensor.Tensor {
	if x := b.packed[packedKey(p)]; x != nil {
		return x.Value.Const
	}
	return eval.Pack(p)
}

func packedKey(p op.Packed) packKey { return packKey{p.Value, p.Packer, fmt.Sprint(p.Dims, p.Elem)} }

// resolve moves packed operands into the weights.
func (b *builder) resolve(c op.Call) op.Call {
	args := make([]any, len(c.Args))
	for i, a := range c.Args {
		args[i] = b.resolveArg(a)
	}
	c.Args = args
	return c
}

func (b *builder) resolveArg(a any) any {
	switch a := a.(type) {
	case op.Packed:
		return b.pack(a).Value
	case op.Derived:
		return b.derive(a).Value
	case op.Struct:
		fields := make([]op.Field, len(a.Fields))
		for i, f := range a.Fields {
			fields[i] = op.Field{Name: f.Name, Value: b.resolveArg(f.Value)}
		}
		a.Fields = fields
		return a
	}
	return a
}

// bindShape binds the symbols that are axes of an input. The caller sets them, so that no step is needed.
func (b *builder) bindShape(v *ir.Value) {
	for _, d := range v.Type.Shape {
		d.Syms(b.bindSym)
	}
}

func (b *builder) bindSym(s string) {
	if !b.bound[s] {
		b.bound[s] = true
		b.Syms = append(b.Syms, s)
	}
}

// freeSyms declares the symbols in v's type.
func (b *builder) freeSyms(v *ir.Value) {
	for _, d := range v.Type.Shape {
		if s, ok := d.Symbol(); ok {
			b.bindSym(s)
		}
	}
}

// bindElems binds the symbols that are elements of an input.
func (b *builder) bindElems(v *ir.Value) { b.Steps = append(b.Steps, b.elems(v)...) }

// elems binds the symbols that stand for elements of v.
func (b *builder) elems(v *ir.Value) []Step {
	bind := &Bind{}
	for k, s := range v.ElemSyms {
		if s != "" {
			b.bindSym(s)
			bind.Syms = append(bind.Syms, s)
			bind.Values = append(bind.Values, Elem{b.use(v), k})
		}
	}
	if len(bind.Syms) == 0 {
		return nil
	}
	return []Step{bind}
}

// output makes the caller's slice the place of v, or plans a copy.
func (b *builder) output(v *ir.Value, i int) *Port {
	x := b.use(v)
	if x.Place != Arena && x.Place != Slot && x.Place != Own {
		return &Port{Value: v, Source: x}
	}
	x.Place, x.Index = Output, i
	return &Port{Value: v, Var: x}
}
