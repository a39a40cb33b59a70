package train

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// update adds the nodes that change the parameters.
func (s *step) update(grads []*ir.Value) error {
	if s.opt.Gradients {
		for i, p := range s.params {
			g := s.state(p.Param.Name+".grad", ir.OptimizerSlot, p.Param.Type, nil)
			g.Next = s.unscaled(grads[i])
		}
	}
	if s.opt.Split {
		grads = s.handOver(grads)
	}
	if s.opt.Accumulate > 1 {
		return s.accumulate(grads)
	}
	return s.apply(grads)
}

// apply makes one update with the given gradients.
func (s *step) apply(grads []*ir.Value) error {
	var fine *ir.Value
	one := s.b.Scalar(tensor.Int64, 1)
	if s.scale != nil {
		fine = s.finite(grads)
		one = s.b.OpA("Cast", attrs("to", int64(tensor.Int64)), fine)
	}
	for i, g := range grads {
		grads[i] = s.clip(g)
	}
	count := s.state("step", ir.OptimizerSlot, ir.TensorOf(tensor.Int64), nil)
	s.count = s.b.Op("Add", count.Param, one)
	count.Next, s.counter = s.count, count.Param
	scale := s.norm(grads)
	if s.scale != nil {
		scale = s.b.Op("Where", fine, scale, s.b.Scalar(tensor.Float32, math.NaN()))
		s.scale.rescale(s, fine)
	}
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

// clip limits the absolute values of a gradient's elements.
func (s *step) clip(g *ir.Value) *ir.Value {
	x := s.opt.ClipValue
	if x <= 0 {
		return g
	}
	low, high := s.b.Scalar(g.Type.Elem, -x), s.b.Scalar(g.Type.Elem, x)
	if s.scale != nil {
		f := s.as(s.scale.factor, g)
		low, high = s.b.Op("Mul", low, f), s.b.Op("Mul", high, f)
	}
	return s.b.Op("Clip", g, low, high)
}

// norm returns the factor that undoes the scale of all gradients and limits their norm. It is nil if neither
// is needed.
//
//	inverse · min(1, clip / (inverse·√Σg² + 1e-6))
func (s *step) norm(grads []*ir.Value) *ir.Value {
	var inverse *ir.Value
	if s.scale != nil {
		inverse = s.scale.inverse(s)
	}
	if s.opt.ClipNorm <= 0 {
		return inverse
	}
	norm := s.b.Op("Sqrt", s.squares(grads))
	if inverse != nil {
		norm = s.b.Op("Mul", norm, inverse)
	}
	norm = s.b.Op("Add", norm, s.b.Scalar(tensor.Float32, 1e-6))
	over := s.b.Op("Div", s.b.Scalar(tensor.Float32, s.opt.ClipNorm), norm)
	factor := s.b.Op("Min", over, s.b.Scalar(tensor.Float32, 1))
	if inverse != nil {
		factor = s.b.Op("Mul", factor, inverse)
	}
	return factor
}

// squares returns the sum of the squares of all gradients.
func (s *step) squares(grads []*ir.Value) *ir.Value {
	var squares []*ir.Value
	for _, g := range grads {
		q := s.b.OpA("ReduceSumSquare", attrs("keepdims", int64(0)), g)
		if g.Type.Elem != tensor.Float32 {
			q = s.b.OpA("Cast", attrs("to", int64(1)), q)
		}
		squares = append(squares, q)
	}
	return s.b.Op("Sum", squares...)
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
