package exec

import (
	"context"
	"fmt"
	"sync"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// program is a plan with known sizes: its calls are looked up, and values other than inputs and outputs have
// places in the arena.
type program struct {
	mu      sync.Mutex // one run at a time uses the arena
	bytes   int        // of the arena and packed weights
	plan    *plan.Plan
	calls   []*call
	inputs  [][]*tensor.Tensor // by port: the operands that are the caller's tensor
	outputs []*output
	values  map[*ir.Value]tensor.Value
}

// call is a step. Moving tells whether an operand is in the caller's memory, which differs between runs.
type call struct {
	*eval.Kernel
	node   *ir.Node
	moving bool
}

// output is a result: the place where it is computed, or the value of which it is a copy.
type output struct {
	*plan.Port
	operands []*tensor.Tensor
	source   *tensor.Tensor
	shape    []int
}

// compile returns the program of a function, or nil if some sizes are known only at run time.
func compile(f *ir.Func, m Memory) (*program, error) {
	p, err := plan.Flat(f, nil)
	if err != nil || !static(p) {
		return nil, nil // a graph that cannot be planned may still be evaluated
	}
	g := &program{plan: p, bytes: p.Arena, values: map[*ir.Value]tensor.Value{}}
	for _, w := range p.Weights {
		g.bytes += Bytes(w.Data)
	}
	if err := m.Take(g.bytes); err != nil {
		return nil, err
	}
	if err := g.link(tensor.Aligned(p.Arena)); err != nil {
		m.Give(g.bytes)
		return nil, err
	}
	return g, nil
}

// static reports whether a plan consists only of calls on values of known sizes.
func static(p *plan.Plan) bool {
	if len(p.Syms) > 0 {
		return false
	}
	for _, s := range p.Steps {
		switch s := s.(type) {
		case *plan.Call:
			if len(s.Binds) > 0 {
				return false
			}
		case *plan.Grow:
			if _, ok := s.Var.Len.Const(); !ok {
				return false
			}
		default:
			return false
		}
	}
	for _, x := range p.Vars {
		if x.Type.Kind != ir.Tensor || x.Type.Elem == tensor.String || x.Place != plan.Arena && x.Place != plan.Output && x.Place != plan.View {
			return false
		}
	}
	for _, o := range p.Outputs {
		if _, ok := o.Value.Type.Static(); !ok || o.Value.Type.Kind != ir.Tensor {
			return false
		}
	}
	return true
}

// link places the values and looks up the kernels.
func (g *program) link(arena []byte) error {
	g.inputs = make([][]*tensor.Tensor, len(g.plan.Inputs))
	for _, o := range g.plan.Outputs {
		shape, _ := o.Value.Type.Static()
		out := &output{Port: o, shape: shape}
		if o.Source != nil {
			out.source = g.operand(o.Source.Value, o.Source, arena)
		}
		g.outputs = append(g.outputs, out)
	}
	for _, s := range g.plan.Steps {
		s, ok := s.(*plan.Call)
		if !ok {
			continue
		}
		c := &call{node: s.Node}
		plan.Operands(s.Call, func(v *ir.Value) {
			x := g.plan.Var(v)
			c.moving = c.moving || x.Place == plan.Input || x.Place == plan.Output
			g.operand(v, x, arena)
		})
		var err error
		if c.Kernel, err = eval.Resolve(s.Call, g.values); err != nil {
			return fmt.Errorf("%s: %w", s.Node, err)
		}
		g.calls = append(g.calls, c)
	}
	return nil
}

// operand returns the tensor of a value in variable x.
func (g *program) operand(v *ir.Value, x *plan.Var, arena []byte) *tensor.Tensor {
	if have, ok := g.values[v]; ok {
		return have.(*tensor.Tensor)
	}
	shape, _ := v.Type.Static()
	var t *tensor.Tensor
	switch x.Place {
	case plan.Arena:
		t = tensor.In(arena, x.Off, v.Type.Elem, shape...)
	case plan.Constant:
		t = &tensor.Tensor{DType: v.Type.Elem, Shape: shape, Data: g.plan.Weights[x.Index].Data.Data}
	case plan.Input:
		t = tensor.New(v.Type.Elem, shape...)
		g.inputs[x.Index] = append(g.inputs[x.Index], t)
	case plan.Output:
		t = tensor.New(v.Type.Elem, shape...)
		o := g.outputs[x.Index]
		o.operands = append(o.operands, t)
	default:
		panic(fmt.Sprintf("BUG: value %q lives in place %d", v.Name, x.Place))
	}
	g.values[v] = t
	return t
}

// run computes the outputs.
func (g *program) run(ctx context.Context, in []*tensor.Tensor, u *usage) ([]*tensor.Tensor, error) {
	out := make([]*tensor.Tensor, len(g.outputs))
	for i, o := range g.outputs {
		if err := u.Take(eval.Bytes(o.Value.Type.Elem, o.shape)); err != nil {
			return nil, fmt.Errorf("output %q: %w", o.Value.Name, err)
		}
		out[i] = tensor.New(o.Value.Type.Elem, o.shape...)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.move(in, out)
	defer g.leave()
	for _, c := range g.calls {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := g.call(c); err != nil {
			return nil, err
		}
	}
	for i, o := range g.outputs {
		if o.source != nil {
			copyTo(out[i], o.source)
		}
	}
	return out, nil
}

// move sets the operands that are the caller's tensors.
func (g *program) move(in, out []*tensor.Tensor) {
	for i, list := range g.inputs {
		for _, t := range list {
			t.Data = in[i].Data
		}
	}
	for i, o := range g.outputs {
		for _, t := range o.operands {
			t.Data = out[i].Data
		}
	}
}

// leave drops the references to the caller's tensors.
func (g *program) leave() {
	for _, list := range g.inputs {
		for _, t := range list {
			t.Data = nil
		}
	}
	for _, o := range g.outputs {
		for _, t := range o.operands {
			t.Data = nil
		}
	}
}

// call makes one call. A panic becomes an error with the name of the node.
func (g *program) call(c *call) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", c.node, r)
		}
	}()
	if c.moving {
		c.Move(g.values)
	}
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", c.node, err)
	}
	return nil
}

// copyTo copies the elements of src to dst.
func copyTo(dst, src *tensor.Tensor) {
	if dst.DType == tensor.String {
		copy(tensor.Data[string](dst), tensor.Data[string](src))
		return
	}
	copy(dst.Bytes(), src.Bytes())
}
