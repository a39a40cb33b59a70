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

// Noises returns all calls of a program that add noise to protect single peers. A call counts for each execution in which
// it runs: those of all loops that lead to it, on each of the peers of their classes, or one where peers has no number.
func Noises(p *Program, peers map[string]int) (list []Noise) {
	for _, part := range p.Parts {
		for _, m := range part.Modules {
			for _, b := range m.Blocks {
				for _, s := range b.Steps {
					if slot := part.noisy(s.Node); slot != nil {
						n := slot.Binding.Noise
						rounds, repeats := p.executions(m, peers)
						list = append(list, Noise{part.Class, slot.Name, n.Multiple, n.Sampling, rounds, repeats})
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

// executions returns how often a module runs on a peer: in each round of the loops that cause it, of each peer of their
// classes; 0 if that is unbounded. It also reports whether rounds of other modules are repeated.
func (p *Program) executions(m *Module, peers map[string]int) (n int, repeats bool) {
	own := m
	if m.Parent != nil {
		own = m.Parent
	}
	for by, class := range p.beginners(own) {
		times := 1
		if by != own {
			times, repeats = max(peers[class], 1), repeats || by.Short == peer.ShortRepeats
		}
		switch {
		case by.Rounds > 0:
			n += times * by.Rounds
		case by.Start:
			n += times
		default:
			return 0, false
		}
	}
	return n, repeats
}

// beginners returns the modules that begin the executions in which a module runs, with their classes.
func (p *Program) beginners(m *Module) map[*Module]string {
	found, seen := map[*Module]string{}, map[*Module]bool{m: true}
	for queue := []*Module{m}; len(queue) > 0; queue = queue[1:] {
		if m := queue[0]; m.begins() {
			found[m] = p.classOf(m)
			continue
		}
		for _, s := range p.senders(queue[0]) {
			if !seen[s] {
				seen[s], queue = true, append(queue, s)
			}
		}
	}
	return found
}

func (p *Program) classOf(m *Module) string {
	i := slices.IndexFunc(p.Parts, func(part *Partition) bool { return slices.Contains(part.Modules, m) })
	return p.Parts[i].Class
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
