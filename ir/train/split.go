package train

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// handOver stores the gradients as states, which the update reads. They are gradients of the unscaled loss,
// so that they are comparable between peers with different scales.
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

// split keeps the nodes up to the gradients in the step, and returns a module with the nodes after them.
func (s *step) split() (*ir.Module, error) {
	update := s.m.Clone()
	body := update.Main.Body
	body.Params, body.Results = body.Params[len(body.Params)-1:], nil // the learning rate
	settled(s.m, ir.Parameter, ir.OptimizerSlot, ir.Average)
	settled(update, ir.Gradient, ir.Statistic, ir.RandomCounter)
	return update, run(update, pass.DCE)
}

// settled makes states of some kinds constant during a run.
func settled(m *ir.Module, kinds ...ir.StateKind) {
	for _, st := range m.Main.State {
		if slices.Contains(kinds, st.Kind) {
			st.Next = st.Param
		}
	}
}
