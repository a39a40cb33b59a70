package train

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/ir/pass"
)

// outside makes targets of the gradients of the outputs, for the step of a part of a network. The peer with
// the other part sends them.
func (s *step) outside() (targets int, err error) {
	body := s.m.Main.Body
	for _, y := range body.Results {
		if !peer.HasGradient(y.Type) {
			s.dys = append(s.dys, nil)
			continue
		}
		dy := &ir.Value{Name: s.m.FreshName(y.Name + ".grad"), Type: y.Type}
		body.Params, s.dys = append(body.Params, dy), append(s.dys, dy)
		targets++
	}
	if targets == 0 {
		return 0, fmt.Errorf("no output is a tensor of floats, which alone have gradients")
	}
	return targets, nil
}

// seeds returns the gradients of the outputs, from which the others are computed.
func (s *step) seeds(outputs []*ir.Value) map[*ir.Value]*ir.Value {
	seeds := map[*ir.Value]*ir.Value{}
	for i, y := range outputs {
		switch dy := s.dys[i]; {
		case dy == nil:
		case seeds[y] != nil:
			seeds[y] = s.b.Op("Add", seeds[y], s.scaled(dy))
		default:
			seeds[y] = s.scaled(dy)
		}
	}
	return seeds
}

// asked returns the inputs with gradients that are to be results.
func (s *step) asked(ins []*ir.Value) []*ir.Value {
	var out []*ir.Value
	for i, x := range ins {
		if s.opt.InputGradients && peer.HasGradient(x.Type) {
			out, s.inputs = append(out, x), append(s.inputs, i)
		}
	}
	return out
}

// give makes gradients of inputs results. They are zeros for an input that has no influence.
func (s *step) give(inputs, grads []*ir.Value) {
	body := s.m.Main.Body
	for i, x := range inputs {
		g := grads[i]
		switch {
		case g == nil:
			g = op.Fill(s.b, x, 0)
		case s.scale != nil:
			g = s.unscaled(g)
		case g.Def == nil || slices.Contains(body.Results, g):
			g = s.b.Op("Identity", g)
		}
		g.Name = s.m.FreshName(x.Name + ".grad")
		body.Results = append(body.Results, g)
	}
}

// trains reports whether training computes the model's outputs differently from inference: with dropout,
// random draws or the statistics of the batch.
func trains(m *ir.Module) bool {
	found := false
	m.Main.Body.Walk(func(n *ir.Node) {
		o := op.Lookup(n)
		if o.Inference == nil {
			found = found || o.Random
			return
		}
		as := *n
		as.Attrs = slices.Clone(n.Attrs)
		o.Inference(&as)
		found = found || len(as.In) != len(n.In) || as.Int("training_mode") != n.Int("training_mode")
	})
	return found
}

// forwardOf returns the forward pass of a step. It reads the model's own inputs, which are the first ins
// parameters, and changes no state.
func forwardOf(m *ir.Module, outputs []*ir.Value, ins int) (*ir.Module, error) {
	body := m.Main.Body
	results := body.Results
	body.Results = slices.Concat(results, outputs)
	c := m.Clone()
	body.Results = results
	c.Main.Body.Results = c.Main.Body.Results[len(results):]
	c.Main.Body.Params = c.Main.Body.Params[:ins]
	for _, st := range c.Main.State {
		st.Next = st.Param
	}
	return c, run(c, pass.DCE)
}
