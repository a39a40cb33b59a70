package train

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// accumulate sums the gradients, and updates the parameters with their mean after n steps:
//
//	sum, seen = sum + grad, seen + 1
//	if seen mod n == 0 {
//		update(sum / n)
//		sum = 0
//	}
func (s *step) accumulate(grads []*ir.Value) error {
	n := s.opt.Accumulate
	one := s.b.Scalar(tensor.Int64, 1)
	seen := s.state("accumulated", ir.OptimizerSlot, ir.TensorOf(tensor.Int64), nil)
	seen.Next = s.b.Op("Add", seen.Param, one)
	rest := s.b.Op("Mod", seen.Next, s.b.Scalar(tensor.Int64, float64(n)))
	due := s.b.Op("Equal", rest, s.b.Scalar(tensor.Int64, 0))
	sums := make([]*ir.State, len(grads))
	for i, p := range s.params {
		sums[i] = s.state(p.Param.Name+".sum_of_gradients", ir.OptimizerSlot, p.Param.Type, nil)
		sums[i].Next = s.own("Accumulate", 1, nil, sums[i].Param, grads[i])[0]
	}

	before := len(s.m.Main.State)
	outside := s.b.Nodes
	s.b.Nodes = nil
	means := make([]*ir.Value, len(grads))
	for i, sum := range sums {
		means[i] = s.b.Op("Mul", sum.Next, s.b.Scalar(sum.Param.Type.Elem, 1/float64(n)))
	}
	if err := s.apply(means); err != nil {
		return err
	}
	changed := append(append([]*ir.State(nil), s.params...), s.m.Main.State[before:]...)
	if s.scale != nil {
		changed = append(changed, s.scale.states...)
	}
	node := &ir.Node{Op: "If", Name: s.m.FreshName("train/update"), In: []*ir.Value{due}}
	then, skip := &ir.Region{Name: "then_branch"}, &ir.Region{Name: "else_branch"}
	for _, sum := range sums {
		kept := sum.Next
		sum.Next = s.own("Clear", 1, nil, kept)[0]
		s.either(node, then, skip, sum, kept)
	}
	for _, st := range changed {
		s.either(node, then, skip, st, st.Param)
	}
	then.Nodes, node.Regions = s.b.Nodes, []*ir.Region{then, skip}
	s.b.Nodes = append(outside, node)
	return s.b.Err()
}

// either makes the next value of a state the result of one branch, and otherwise that of the other.
func (s *step) either(node *ir.Node, then, skip *ir.Region, st *ir.State, otherwise *ir.Value) {
	out := &ir.Value{Name: s.m.FreshName(st.Param.Name + ".either"), Type: st.Param.Type, Def: node}
	then.Results, skip.Results = append(then.Results, st.Next), append(skip.Results, otherwise)
	node.Out = append(node.Out, out)
	st.Next = out
}
