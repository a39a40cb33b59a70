package interpret

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// symbolSize is the size of all symbols.
const symbolSize = 2

// Fake replaces all components. Its results depend on the peer, the slot, the method and the tensors among the inputs, and
// those of an aggregator on the contributions, in their order.
type Fake struct {
	peers Peers
	notes map[note]string
}

// note is a slot of a peer.
type note struct {
	peer *Peer
	slot string
}

// NewFake returns the components of all peers.
func NewFake(peers Peers) *Fake { return &Fake{peers, map[note]string{}} }

// Call calls a method on a peer; from is the peer that has sent a contribution.
func (f *Fake) Call(p *Peer, n *ir.Node, from *Peer, in []any) ([]any, error) {
	slot := n.Str("slot")
	at := note{p, slot}
	h := fnv.New64()
	fmt.Fprint(h, p.Class, p.Rank, slot, n.Op)
	for i, v := range in {
		if t, ok := v.(*tensor.Tensor); ok && n.In[i].Type.Kind == ir.Tensor { // a trigger has no value, whatever it follows
			fmt.Fprint(h, t.Shape, t.Data)
		}
	}
	switch op.PeerKindOf(n) {
	case op.KindFold:
		f.notes[at] = fmt.Sprint(f.notes[at], from.Class, from.Rank, h.Sum64())
	case op.KindGather:
		fmt.Fprint(h, f.notes[at])
		delete(f.notes, at)
	}
	out := make([]any, len(n.Out))
	for i, v := range n.Out {
		if v != nil {
			out[i] = f.peers.Made(v.Type, n, h.Sum64()+uint64(i))
		}
	}
	return out, nil
}

// Made returns a value of a type, as a result of n, or as an input of a host if n is nil: hosts name no peers. Its floats are
// multiples of 1/8, whose sums are exact.
func (all Peers) Made(t ir.Type, n *ir.Node, seed uint64) any {
	switch {
	case t.Equal(peer.Peers) && n != nil:
		return all.Of(n.Str("class"))
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
			tensor.Data[float32](x)[i] = float32(rng.IntN(65)-32) / 8
		}
	}
	return x
}

// Inputs returns values for all inputs that hosts pass to a program, by their names.
func (all Peers) Inputs(prog *partitioner.Program) map[string]tensor.Value {
	inputs := map[string]tensor.Value{}
	for _, part := range prog.Parts {
		for _, m := range part.Modules {
			for _, c := range m.Inputs {
				if v := c.Values[0]; m.Rounds == 0 {
					inputs[v.Name], _ = all.Made(v.Type, nil, 7).(tensor.Value)
				}
			}
		}
	}
	return inputs
}

// Outcome runs a program with the given number of peers of each class, and returns what it gives the hosts.
func Outcome(prog *partitioner.Program, seed uint64, counts map[string]int) (map[string][]tensor.Value, error) {
	s := New(prog, seed, counts)
	err := s.Run(s.Peers.Inputs(prog))
	return s.Emitted, err
}
