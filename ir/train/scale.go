package train

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// LossScale is a factor of the loss by which gradients are divided before they are used. It prevents
// underflow of small gradients in 16-bit types. An update is skipped if its gradients have overflowed.
type LossScale struct {
	First float64 // the initial factor; 0: no scaling

	// Every is the number of consecutive updates after which the factor doubles. It is halved with each
	// skipped update. 0: the factor is constant.
	Every int
}

// DynamicScale is PyTorch's initial loss scale.
var DynamicScale = LossScale{First: 1 << 16, Every: 2000}

// The bounds of a dynamic factor.
const leastScale, mostScale = 1, 1 << 24

// scaling is the loss scale in a step.
type scaling struct {
	factor *ir.Value // nil if the loss is not scaled
	states []*ir.State
	every  int
}

// scaled returns the loss, or the gradient of an output, multiplied by the scale. Gradients are computed from
// it.
func (s *step) scaled(v *ir.Value) *ir.Value {
	if s.scale == nil && s.opt.Scale.First != 0 {
		s.beginScale()
	}
	if s.scale == nil {
		return v
	}
	return s.b.Op("Mul", v, s.as(s.scale.factor, v))
}

// beginScale makes the factor, which is a state if it changes.
func (s *step) beginScale() {
	x := s.opt.Scale
	s.scale = &scaling{factor: s.b.Scalar(tensor.Float32, x.First), every: x.Every}
	if x.Every > 0 {
		f32, i64 := ir.TensorOf(tensor.Float32), ir.TensorOf(tensor.Int64)
		scale := s.state("loss_scale", ir.OptimizerSlot, f32, tensor.FromFloat(tensor.Float32, x.First))
		s.scale.factor = scale.Param
		s.scale.states = []*ir.State{scale, s.state("updates_at_scale", ir.OptimizerSlot, i64, nil)}
	}
}

// as returns a number in the type of like.
func (s *step) as(v, like *ir.Value) *ir.Value {
	if to := like.Type.Elem; v.Type.Elem != to {
		return s.b.OpA("Cast", attrs("to", int64(to)), v)
	}
	return v
}

// inverse returns the factor that undoes the scale.
func (c *scaling) inverse(s *step) *ir.Value {
	return s.b.Op("Div", s.b.Scalar(tensor.Float32, 1), c.factor)
}

// unscaled returns the gradient of the unscaled loss.
func (s *step) unscaled(g *ir.Value) *ir.Value {
	if s.scale == nil {
		return g
	}
	return s.b.Op("Mul", g, s.as(s.scale.inverse(s), g))
}

// finite reports whether no gradient has overflowed, according to the sum of all squares.
func (s *step) finite(grads []*ir.Value) *ir.Value {
	return s.b.Op("Less", s.squares(grads), s.b.Scalar(tensor.Float32, math.Inf(1)))
}

// rescale changes the scale after an update, which may have been skipped:
//
//	run = fine ? updates+1 : 0
//	updates, due = run mod every, run == every
//	scale = fine ? (due ? 2·scale : scale) : scale/2
func (c *scaling) rescale(s *step, fine *ir.Value) {
	if c.every == 0 {
		return
	}
	b, scale, updates := s.b, c.states[0], c.states[1]
	none := b.Scalar(tensor.Int64, 0)
	run := b.Op("Where", fine, b.Op("Add", updates.Param, b.Scalar(tensor.Int64, 1)), none)
	due := b.Op("Equal", run, b.Scalar(tensor.Int64, float64(c.every)))
	updates.Next = b.Op("Where", due, none, run)
	times := func(f float64) *ir.Value { return b.Op("Mul", c.factor, b.Scalar(tensor.Float32, f)) }
	more := b.Op("Min", times(2), b.Scalar(tensor.Float32, mostScale))
	less := b.Op("Max", times(0.5), b.Scalar(tensor.Float32, leastScale))
	scale.Next = b.Op("Where", fine, b.Op("Where", due, more, c.factor), less)
}
