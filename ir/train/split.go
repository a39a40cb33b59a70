package train

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// handOver keeps the gradients as states, and has the update read those. They are
// gradients of the loss itself, whatever its scale is, so that they mean the same on
// peers whose scales differ.
func (s *step) handOver(grads []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(grads))
	for i, p := range s.params {
		g := s.state(p.Param.Name+".gradient", ir.Gradient, p.Param.Type, nil)
		g.Next, out[i] = s.unscaled(grads[i]), g.Param
	}
	if s.scale != nil {
		for i, g := range out {
			out[i] = s.b.Op("Mul", g, s.as(s.scale.factor, g))
		}
	}
	return out
}

// split leaves in the step what comes before the gradients, and returns what comes
// after them.
func (s *step) split() (*ir.Module, error) {
	update := s.m.Clone()
	body := update.Main.Body
	body.Params, body.Results = body.Params[len(body.Params)-1:], nil // the learning rate
	settled(s.m, ir.Parameter, ir.OptimizerSlot, ir.Average)
	settled(update, ir.Gradient, ir.Statistic, ir.RandomCounter)
	return update, pass.DCE.Apply(update)
}

// settled makes states of some kinds stay as they are.
func settled(m *ir.Module, kinds ...ir.StateKind) {
	for _, st := range m.Main.State {
		if slices.Contains(kinds, st.Kind) {
			st.Next = st.Param
		}
	}
}
