// Package secure records the questions of package runtime/component/secagg. It sums the vectors of peers
// without showing any single vector to the peer that receives the sum.
//
//	// on the server
//	sum, count := s.Secure.Sum(g, "change", clients, round.Number(), 8)
//	// on a client
//	c.Secure.Give(g, "change", x)
package secure

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/component/secagg"
)

var bytes = dsl.Uint8(dsl.Any)

// Server is the set of slots of the peer that receives a sum: a field of its module.
type Server struct {
	Keys, Shares, Masked, Agreed, Revealed dsl.Aggregator
	Sums                                   dsl.Component
}

// NewServer returns a Server with its components.
func NewServer() Server {
	collect := dsl.Aggregator{Bind: dsl.Go(secagg.Collect{})}
	return Server{
		Keys: dsl.Aggregator{Bind: dsl.Go(secagg.CollectKeys{})}, Shares: collect, Agreed: collect, Revealed: collect,
		Masked: dsl.Aggregator{Bind: dsl.Go(secagg.Sum{})},
		Sums:   dsl.Component{Bind: dsl.Go(secagg.Server{})},
	}
}

// Sum returns the sum of the vectors, int32[n], that peers pass to [Client.Give] with the same name, and the number of its
// vectors, float32[]. Each step needs at least quorum peers, more than two thirds of all. If fewer are left it waits until enough
// are back, for ever if they never are; with [dsl.Within] the round is short instead ([dsl.IfShort]). The number is the round's.
func (s Server) Sum(g *dsl.Graph, name string, peers, number dsl.Value, quorum int, opts ...dsl.CallOption) (sum, count dsl.Value) {
	heard := func(port string, a dsl.Aggregator, t dsl.Type) dsl.Value {
		x := g.Input(name+"_"+port, t, dsl.From(peers))
		return a.Aggregate(g, a.Contribute(g, x, dsl.Value{}), append([]dsl.CallOption{dsl.Quorum(quorum)}, opts...)...)
	}
	g.NetOut(name+"_round", peers, number)
	roster := heard("keys", s.Keys, bytes)
	g.NetOut(name+"_roster", peers, roster)
	inbox := heard("shares", s.Shares, bytes)
	g.NetOut(name+"_inbox", peers, inbox)
	masked := heard("masked", s.Masked, dsl.Int32(dsl.Any))
	g.NetOut(name+"_survivors", peers, s.Sums.Call(g, "Survivors", bytes, masked))
	g.NetOut(name+"_proof", peers, heard("agreed", s.Agreed, bytes))
	revealed := heard("revealed", s.Revealed, bytes)
	out := s.Sums.CallN(g, "Unmask", []dsl.Type{dsl.Int32(dsl.Any), dsl.Float32()}, roster, inbox, masked, revealed)
	return out[0], out[1]
}

// Client is the slot of a peer that gives a vector: a field of its module.
type Client struct{ Masks dsl.Component }

// NewClient returns a Client with its component. It takes part in sums of at least least peers.
func NewClient(least int, members ...string) Client {
	return Client{dsl.Component{Bind: dsl.Go(secagg.Client{Least: least, Members: members})}}
}

// Give adds a vector, int32[n], to the sum with the given name.
func (c Client) Give(g *dsl.Graph, name string, x dsl.Value) {
	told := func(port string) dsl.Value { return g.Input(name+"_"+port, bytes) }
	number := g.Input(name+"_round", dsl.Int64())
	server := g.Sender(number)
	g.NetOut(name+"_keys", server, c.Masks.Call(g, "Keys", bytes, number))
	g.NetOut(name+"_shares", server, c.Masks.Call(g, "Shares", bytes, told("roster")))
	g.NetOut(name+"_masked", server, c.Masks.Call(g, "Mask", dsl.Int32(dsl.Any), told("inbox"), x))
	g.NetOut(name+"_agreed", server, c.Masks.Call(g, "Agree", bytes, told("survivors")))
	g.NetOut(name+"_revealed", server, c.Masks.Call(g, "Reveal", bytes, told("proof")))
}
