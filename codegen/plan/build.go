package plan

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
)

// builder turns nodes into steps.
type builder struct {
	*Plan
	flat    bool // without chains and blocks
	packed  map[packKey]*Var
	outputs map[*ir.Value]bool
	last    map[*ir.Value]*ir.Node  // the last node that reads a value
	base    map[*ir.Value]*ir.Value // the value that a view refers to
	planned map[*ir.Node]bool
	calls   map[*ir.Node]int // number of calls of a node
	users   map[*Var]int     // number of steps that read or write a variable
}

type packKey struct {
	value  *ir.Value
	packer string
	dims   string
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

// pack returns the variable of a constant in the layout of a packer.
func (b *builder) pack(p op.Packed) *Var {
	k := packKey{p.Value, p.Packer, fmt.Sprint(p.Dims)}
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
	x := b.use(ir.NewConst(d.Name+"_made", eval.Pack(d.Packed)))
	w := b.Weights[x.Index]
	w.Maker, w.Sizes = d.Maker, d.Sizes
	b.packed[k] = x
	return x
}

// region plans the nodes of r.
func (b *builder) region(r *ir.Region) ([]Step, error) {
	var steps []Step
	for _, n := range r.Nodes {
		s, err := b.node(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		steps = append(steps, s...)
		b.planned[n] = true
	}
	return steps, nil
}

// node plans one node.
func (b *builder) node(n *ir.Node) ([]Step, error) {
	for _, v := range n.Out {
		if v != nil && !v.Type.Known() {
			return nil, unsupported(v)
		}
	}
	o := op.Lookup(n)
	if o == nil {
		return nil, fmt.Errorf("no such operator")
	}
	var steps []Step
	var err error
	switch o.Flow {
	case op.Branch:
		steps, err = b.branch(n)
	case op.Iterate:
		steps, err = b.loop(n)
	case op.ScanFlow:
		steps, err = b.scan(n)
	default:
		steps, err = b.lowered(o, n)
	}
	if err != nil {
		return nil, err
	}
	for _, v := range n.Out {
		if v != nil {
			steps = append(steps, b.elems(v)...)
		}
	}
	return steps, nil
}

// lowered plans a node that consists of kernel calls, or of none.
func (b *builder) lowered(o *op.Op, n *ir.Node) ([]Step, error) {
	switch {
	case o.Lower != nil || o.Alias:
	case o.Peer != nil:
		return nil, fmt.Errorf("is for the peers of a distributed program, which no single program runs")
	default:
		return nil, fmt.Errorf("BUG: operator has no lowering")
	}
	l, err := o.Lowered(n)
	if err != nil {
		return nil, err
	}
	if o.Alias {
		b.byValue[n.Out[0]] = b.use(n.In[0])
	}
	steps := b.updates(o, n)
	written := map[*ir.Value]bool{}
	for _, v := range n.Out {
		written[v] = v != nil && !o.Alias
	}
	for _, c := range l.Calls {
		for _, v := range operands(c) {
			if b.byValue[v] != nil {
				continue
			}
			if scratch := v.Def == nil && v.Const == nil; written[v] || scratch {
				x := b.define(v)
				b.scratch[v] = scratch
				steps = append(steps, &Grow{x})
				continue
			}
			b.use(v)
		}
		steps = append(steps, &Call{b.resolve(c), n})
		b.Syms = append(b.Syms, c.Binds...)
	}
	return steps, nil
}

// operands returns the values that a call uses, in order.
func operands(c op.Call) []*ir.Value {
	var out []*ir.Value
	eachOperand(c, func(v *ir.Value) { out = append(out, v) })
	return out
}

// Operands calls f for each value that a call reads or writes.
func Operands(c op.Call, f func(v *ir.Value)) { eachOperand(c, f) }

func eachOperand(c op.Call, f func(v *ir.Value)) {
	for _, a := range c.Args {
		eachArg(a, f)
	}
}

func eachArg(a any, f func(v *ir.Value)) {
	switch a := a.(type) {
	case *ir.Value:
		if a != nil {
			f(a)
		}
	case op.Boxed:
		f(a.Value)
	case op.Whole:
		f(a.Value)
	case op.Struct:
		for _, x := range a.Fields {
			eachArg(x.Value, f)
		}
	}
}

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
	for _, have := range b.Syms {
		if have == s {
			return
		}
	}
	b.Syms = append(b.Syms, s)
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
