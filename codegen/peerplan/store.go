package peerplan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// Store is named state that the engine keeps for the program between executions.
type Store struct {
	Type  string // a type of package runtime
	Name  string
	Field string // the field of type peer
}

// addStores names the stores that the services of a partition use.
func (p *Plan) addStores(names scopes) {
	p.eachStep(func(s *partitioner.Step) {
		if o := op.PeerOf(s.Node); o != nil && o.State != "" && p.StoreOf(s.Node) == nil {
			name := s.Node.Str(peer.NameAttr)
			p.Stores = append(p.Stores, &Store{o.State, name, names.fields.Local(name + " " + o.State)})
		}
	})
}

// StoreOf returns the store that a service uses, or nil.
func (p *Plan) StoreOf(n *ir.Node) *Store {
	o := op.PeerOf(n)
	if o == nil || o.State == "" {
		return nil
	}
	for _, s := range p.Stores {
		if s.Type == o.State && s.Name == n.Str(peer.NameAttr) {
			return s
		}
	}
	return nil
}
