package partitioner

import (
	"cmp"
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// crossing is a value and a later stage that reads it.
type crossing struct {
	v  *ir.Value
	to int
}

// crossed lists all crossings, in the order in which the values are computed.
func (s *splitter) crossed() []crossing {
	seen := map[crossing]bool{}
	for i := range s.nodes {
		for _, v := range s.reads[i] {
			if to := s.stage[i]; s.stageOf(v) != to {
				seen[crossing{v, to}] = true
			}
		}
	}
	place := map[*ir.Value]int{}
	s.m.Main.Body.Values(func(v *ir.Value) { place[v] = len(place) })
	return slices.SortedFunc(maps.Keys(seen), func(a, b crossing) int {
		return cmp.Or(cmp.Compare(place[a.v], place[b.v]), cmp.Compare(a.to, b.to))
	})
}

// send adds a Send after each value that crosses, for each stage that reads it, and makes the nodes of that
// stage read the received value.
func (s *splitter) send() {
	after := map[int][]*ir.Node{} // by the node that they follow
	by := map[crossing]*ir.Value{}
	for _, x := range s.crossed() {
		from := s.stageOf(x.v)
		peers := s.node(peer.PeerInTurn.Name, peer.SyscallDomain, from, nil)
		peers.Attrs.Set("class", s.opt.name(x.to))
		peers.Out = []*ir.Value{{Name: peers.Name, Type: peer.Peers, Def: peers}}
		send := s.node("Send", peer.WireDomain, from, []*ir.Value{x.v, peers.Out[0]})
		send.Attrs.Set("port", x.v.Name)
		send.Attrs.Set("to", s.opt.name(x.to))
		send.Out = []*ir.Value{{Name: s.m.FreshName(x.v.Name), Type: x.v.Type, Elems: x.v.Elems, Def: send}}
		by[x] = send.Out[0]
		after[s.def[x.v]] = append(after[s.def[x.v]], peers, send)
	}
	for i, n := range s.nodes {
		(&ir.Region{Nodes: []*ir.Node{n}}).Replace(s.received(by, s.stage[i]))
	}
	s.insert(after)
	s.names()
}

// received returns the replacements for values of other stages that a stage reads.
func (s *splitter) received(by map[crossing]*ir.Value, stage int) map[*ir.Value]*ir.Value {
	if s.swaps == nil {
		s.swaps = make([]map[*ir.Value]*ir.Value, s.opt.Stages)
		for k := range s.swaps {
			s.swaps[k] = map[*ir.Value]*ir.Value{}
		}
		for x, v := range by {
			s.swaps[x.to][x.v] = v
		}
	}
	return s.swaps[stage]
}

func (s *splitter) node(name, domain string, stage int, in []*ir.Value) *ir.Node {
	return &ir.Node{Op: name, Domain: domain, Name: s.m.FreshName(name), In: in, Version: op.Find(domain, name).Newest(), Class: s.opt.name(stage)}
}

func (s *splitter) insert(after map[int][]*ir.Node) {
	nodes := after[-1]
	for i, n := range s.nodes {
		nodes = append(append(nodes, n), after[i]...)
	}
	s.m.Main.Body.Nodes = nodes
}

// names adds the stage to the names of inputs, and of results that no node computes.
func (s *splitter) names() {
	body := s.m.Main.Body
	for _, p := range body.Params {
		p.Name = s.opt.name(0) + "." + p.Name
	}
	for i, v := range body.Results {
		if v.IsConst() {
			n := s.node("Identity", "", s.opt.Stages-1, []*ir.Value{v})
			n.Out = []*ir.Value{{Name: n.Class + "." + v.Name, Type: v.Type, Def: n}}
			body.Nodes = append(body.Nodes, n)
			body.Results[i] = n.Out[0]
		}
	}
}
