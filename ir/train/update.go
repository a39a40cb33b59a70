package train

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// update adds what changes the parameters.
func (s *step) update(grads []*ir.Value) error {
	if s.opt.Gradients {
		for i, p := range s.params {
			g := s.state(p.Param.Name+".grad", ir.OptimizerSlot, p.Param.Type, nil)
			g.Next = grads[i]
		}
	}
	if s.opt.Accumulate > 1 {
		return s.accumulate(grads)
	}
	return s.apply(grads)
}

// apply makes one update with the given gradients.
func (s *step) apply(grads []*ir.Value) error {
	for i, g := range grads {
		grads[i] = s.clip(g)
	}
	count := s.state("step", ir.OptimizerSlot, ir.TensorOf(tensor.Int64), nil)
	s.count = s.b.Op("Add", count.Param, s.b.Scalar(tensor.Int64, 1))
	count.Next, s.counter = s.count, count.Param
	scale := s.norm(grads)
	for i, p := range s.params {
		if err := s.optimize(p, grads[i], scale); err != nil {
			return fmt.Errorf("parameter %q: %w", p.Param.Name, err)
		}
		if s.opt.Average > 0 {
			avg := s.state(p.Param.Name+".average", ir.Average, p.Param.Type, p.Init)
			avg.Next = s.own("Average", 1, attrs("decay", s.opt.Average), avg.Param, p.Next)[0]
		}
	}
	return nil
}

// clip keeps a gradient's elements within bounds.
func (s *step) clip(g *ir.Value) *ir.Value {
	x := s.opt.ClipValue
	if x <= 0 {
		return g
	}
	return s.b.Op("Clip", g, s.b.Scalar(g.Type.Elem, -x), s.b.Scalar(g.Type.Elem, x))
}

// norm is the factor that brings all gradients together to the largest norm
// that is allowed, nil if any is.
//
//	min(1, clip / (√Σg² + 1e-6))
func (s *step) norm(grads []*ir.Value) *ir.Value {
	if s.opt.ClipNorm <= 0 {
		return nil
	}
	var squares []*ir.Value
	for _, g := range grads {
		q := s.b.OpA("ReduceSumSquare", attrs("keepdims", int64(0)), g)
		if g.Type.Elem != tensor.Float32 {
			q = s.b.OpA("Cast", attrs("to", int64(1)), q)
		}
		squares = append(squares, q)
	}
	norm := s.b.Op("Sqrt", s.b.Op("Sum", squares...))
	norm = s.b.Op("Add", norm, s.b.Scalar(tensor.Float32, 1e-6))
	over := s.b.Op("Div", s.b.Scalar(tensor.Float32, s.opt.ClipNorm), norm)
	return s.b.Op("Min", over, s.b.Scalar(tensor.Float32, 1))
}

// own adds a node of bbgen's own domain.
func (s *step) own(name string, outs int, a ir.Attrs, in ...*ir.Value) []*ir.Value {
	n := &ir.Node{Op: name, Domain: "ai.bbgen", Name: s.m.FreshName("train/" + name), In: in, Attrs: a}
	for i := range outs {
		out := n.Name
		if i > 0 {
			out = s.m.FreshName(fmt.Sprintf("%s_%d", n.Name, i))
		}
		n.Out = append(n.Out, &ir.Value{Name: out, Def: n})
	}
	return s.b.Add(n)
}

func attrs(pairs ...any) ir.Attrs {
	var out ir.Attrs
	for i := 0; i < len(pairs); i += 2 {
		out.Set(pairs[i].(string), pairs[i+1])
	}
	return out
}
