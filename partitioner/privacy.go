package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Noise is the noise that a component adds to each result of one call.
type Noise struct {
	Class, Slot string
	Multiple    float64 // standard deviation of the noise, divided by the most that one peer can change
	Sampling    float64 // probability that a peer has contributed
	Rounds      int     // number of calls; 0: unlimited, or decided by the host
	Repeats     bool    // a round without a quorum is repeated, which also counts
}

// Noises returns all calls of a program that add noise to protect single peers.
func Noises(p *Program) (list []Noise) {
	for _, part := range p.Parts {
		for _, m := range part.Modules {
			for _, b := range m.Blocks {
				for _, s := range b.Steps {
					if slot := part.noisy(s.Node); slot != nil {
						n := slot.Binding.Noise
						rounds, loop := p.executions(m, nil)
						list = append(list, Noise{part.Class, slot.Name, n.Multiple, n.Sampling, rounds, loop != nil && loop != m && loop.Short == "repeat"})
					}
				}
			}
		}
	}
	return list
}

// checkSampling checks that the noise of an aggregator assumes the probability with which the contributing
// peers are drawn.
func (b *body) checkSampling(g *gathered, n *ir.Node) {
	s := b.slotOf[n]
	if s == nil || s.Binding == nil || s.Binding.Noise == nil {
		return
	}
	counted, asked := s.Binding.Noise.Sampling, g.peers
	switch by := b.slotOf[asked.Def]; {
	case by != nil && by.Binding == nil: // unknown
	case by != nil && by.Binding.Sampling > 0:
		if by.Binding.Sampling != counted {
			b.failf(n, "the noise of slot %q counts on peers that are drawn with a probability of %v, and slot %q (%s) draws them with %v: say the same for both", s.Name, counted, by.Name, asked.Def.Pos, by.Binding.Sampling)
		}
	case counted < 1:
		b.failf(n, "the noise of slot %q counts on peers that are drawn with a probability of %v, and nothing draws %q: take the peers from a selector such as dp.Sampler that draws with this rate, or count on 1", s.Name, counted, asked.Name)
	}
}

// noisy returns the slot whose component adds noise to the result of a call, or nil.
func (p *Partition) noisy(n *ir.Node) *Slot {
	if n == nil {
		return nil
	}
	o := op.Lookup(n)
	if o == nil || o.Peer == nil {
		return nil
	}
	method := n.Str("method")
	if method == "" {
		method = o.Peer.Method
	}
	i := slices.IndexFunc(p.Slots, func(s *Slot) bool {
		return s.Name == n.Str(peer.SlotAttr) && s.Binding != nil && s.Binding.Noise != nil && s.Binding.Noise.Method == method
	})
	if i < 0 {
		return nil
	}
	return p.Slots[i]
}

// executions returns how often a module runs on a peer: the number of rounds of its loop, or of the loop that
// causes it, or 0 if that is unbounded. The modules in above are already being traced.
func (p *Program) executions(m *Module, above []*Module) (n int, loop *Module) {
	for m.Parent != nil {
		m = m.Parent
	}
	switch {
	case m.Rounds > 0:
		return m.Rounds, m
	case m.Start:
		return 1, nil
	case m.begins():
		return 0, nil
	}
	for _, sender := range p.senders(m) {
		if slices.Contains(above, sender) {
			continue
		}
		k, by := p.executions(sender, append(above, m))
		if k == 0 {
			return 0, nil
		}
		if k > n {
			n, loop = k, by
		}
	}
	return n, loop
}

// senders returns the modules that send fills that may begin m.
func (p *Program) senders(m *Module) (list []*Module) {
	for _, part := range p.Parts {
		for _, s := range part.Modules {
			if s != m && s.Parent == nil && slices.ContainsFunc(s.sends(), func(e *Edge) bool { return slices.Contains(m.fills(), e) }) {
				list = append(list, s)
			}
		}
	}
	return list
}
