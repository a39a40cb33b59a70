package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Answers returns the modules of m's class that run later in an execution that opens m: modules opened by
// messages that return to the peer after m has sent something, possibly through other peers.
func (p *Program) Answers(part *Partition, m *Module) (list []*Module) {
	seen := map[*Module]bool{m: true}
	for queue := []*Module{m}; len(queue) > 0; queue = queue[1:] {
		for _, e := range queue[0].sends() {
			for _, to := range p.opened(e) {
				if seen[to] {
					continue
				}
				seen[to] = true
				queue = append(queue, to)
				if e.To == part.Class && slices.Contains(e.Origins, part.Class) {
					list = append(list, to)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b *Module) int { return slices.Index(part.Modules, a) - slices.Index(part.Modules, b) })
	return list
}

// opened returns the modules that a fill of an edge opens.
func (p *Program) opened(e *Edge) (list []*Module) {
	for _, part := range p.Parts {
		if part.Class != e.To {
			continue
		}
		for _, m := range part.Modules {
			if top := m.top(); !top.opensItself() && slices.Contains(m.fills(), e) && !slices.Contains(list, top) {
				list = append(list, top)
			}
		}
	}
	return list
}

// Receivers says which peers receive a value, as in package runtime.
type Receivers int

// The receivers of values.
const (
	ToSender Receivers = iota // the peer that has filled a cut point of the module
	ToClass                   // all peers of the class
	ToInTurn                  // the peer of the class that is next in turn
	ToSelf                    // the peer itself
	ToSome                    // peers of the class that are selected at run time
)

// Sending is an edge on which a block sends in its own execution. If the block fails, the receivers wait in vain, unless
// they are told: so they are described without a value of the block.
type Sending struct {
	Edge  *Edge
	To    Receivers
	Cut   *Cut   // of ToSender
	Class string // of ToClass, ToInTurn and ToSome
}

// Sendings lists the edges on which a block of the module sends in its own execution, in the order of its steps. Nobody
// waits for values that would begin executions of their own.
func (m *Module) Sendings(b *Block) (list []Sending) {
	for _, s := range b.Steps {
		if s.Edge != nil && s.Apart == nil {
			list = append(list, m.sending(s.Edge, s.Node.In[peer.SentTo]))
		}
	}
	return list
}

func (m *Module) sending(e *Edge, to *ir.Value) Sending {
	for _, c := range m.Cuts {
		if c.Kind == Fill && c.Sender == to {
			return Sending{Edge: e, Cut: c}
		}
	}
	s := Sending{Edge: e, To: ToSome, Class: e.To}
	if to.Def == nil {
		return s
	}
	switch o := op.PeerOf(to.Def); {
	case o == nil:
	case o.All:
		s.To, s.Class = ToClass, to.Def.Str("class")
	case o.InTurn:
		s.To, s.Class = ToInTurn, to.Def.Str("class")
	case o.Itself:
		s.To, s.Class = ToSelf, ""
	}
	return s
}
