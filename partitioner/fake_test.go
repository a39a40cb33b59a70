package partitioner_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// symbolSize is the size of all symbols.
const symbolSize = 2

// fake replaces all components. Its results depend on the peer, the slot, the method and the inputs, and
// those of an aggregator on the contributions, in their order.
func (s *system) fake(p *peer, n *ir.Node, from *peer, in []any) ([]any, error) {
	slot := n.Str("slot")
	h := fnv.New64()
	fmt.Fprint(h, p.class, p.rank, slot, n.Op)
	for _, v := range in {
		if t, ok := v.(*tensor.Tensor); ok {
			fmt.Fprint(h, t.Shape, t.Data)
		}
	}
	switch n.Op {
	case "Contribute":
		p.state[slot] = fmt.Sprint(p.state[slot], from.class, from.rank, h.Sum64())
	case "Aggregate":
		fmt.Fprint(h, p.state[slot])
		p.state[slot] = nil
	}
	out := make([]any, len(n.Out))
	for i, v := range n.Out {
		if v != nil {
			out[i] = s.made(v.Type, n, h.Sum64()+uint64(i))
		}
	}
	return out, nil
}

// made returns a value of a type.
func (s *system) made(t ir.Type, n *ir.Node, seed uint64) any {
	switch {
	case t.Kind == ir.Opaque && t.Name == "peers":
		return s.of(n.Str("class"))
	case t.Kind == ir.Opaque:
		return nil
	}
	shape := make([]int, len(t.Shape))
	for i, d := range t.Shape {
		shape[i], _ = d.Eval(func(string) (int, bool) { return symbolSize, true })
	}
	x := tensor.New(t.Elem, shape...)
	if t.Elem == tensor.Float32 {
		rng := rand.New(rand.NewPCG(seed, 0))
		for i := range tensor.Data[float32](x) {
			tensor.Data[float32](x)[i] = rng.Float32()
		}
	}
	return x
}

// outcome runs a program with the given number of peers of each class, and returns the host's outputs as
// text.
func outcome(prog *partitioner.Program, seed uint64, counts map[string]int) (map[string]tensor.Value, error) {
	s := newSystem(prog, seed, counts)
	s.call = s.fake
	inputs := map[string]tensor.Value{}
	for _, part := range prog.Parts {
		for _, m := range part.Modules {
			for _, c := range m.Inputs {
				if v := c.Values[0]; m.Rounds == 0 {
					inputs[v.Name], _ = s.made(v.Type, nil, 7).(tensor.Value)
				}
			}
		}
	}
	if err := s.run(inputs); err != nil {
		return nil, err
	}
	return s.emitted, s.once()
}
