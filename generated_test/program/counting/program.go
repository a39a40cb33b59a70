// Package counting is a server that learns what the data of its clients are like, and sees only sums of counts: the
// median of their values and their frequent words. Two peers more find the rows that they have in common.
package counting

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/counting/parts"
	"github.com/bbgen/bbgen/runtime/component/analytics"
	"github.com/bbgen/bbgen/runtime/component/psi"
)

// The parameters of the program.
const (
	Rounds  = 16
	Clients = 5
	Meets   = 2 // how often the common rows are found
)

var (
	counts  = dsl.Int32(dsl.Any)
	numbers = dsl.Int64(dsl.Any)
	bytes   = dsl.Uint8(dsl.Any)
)

// Server has a question in each round, which follows from the answers to the one before.
type Server struct {
	Median, Hitters dsl.Component
	Values, Votes   dsl.Aggregator
}

// Body is a round, in which all clients answer.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds, dsl.IfShort(dsl.Wait))
	bounds := r.Carry("bounds", g.Const([]float32{0, 1}))
	prefixes := r.Carry("prefixes", s.Hitters.Call(g, "First", bytes))
	clients := g.Peers("client", dsl.AtLeast(Clients))
	g.NetOut("bounds", clients, bounds)
	g.NetOut("prefixes", clients, prefixes)
	sum := func(name string, a dsl.Aggregator) dsl.Value {
		x := g.Input(name, counts, dsl.From(clients))
		return a.Aggregate(g, a.Contribute(g, x, dsl.Value{}), dsl.Quorum(Clients))
	}
	values, votes := sum("values", s.Values), sum("votes", s.Votes)

	next := s.Median.Call(g, "Narrow", dsl.Float32(2), bounds, values)
	r.Next(bounds, next)
	g.Output("median", next)
	grown := s.Hitters.CallN(g, "Grow", []dsl.Type{bytes, dsl.Bool()}, prefixes, votes)
	r.Next(prefixes, grown[0])
	found := s.Hitters.CallN(g, "Found", []dsl.Type{dsl.String(dsl.Any), counts}, prefixes, votes)
	g.Output("words", found[0])
	g.Output("often", found[1])
}

// Client has values and words.
type Client struct{ Data, Histogram, Voter dsl.Component }

// Body answers questions.
func (c Client) Body(g *dsl.Graph) {
	bounds := g.Input("bounds", dsl.Float32(2))
	values := c.Data.Call(g, "Values", dsl.Float32(dsl.Any), bounds)
	g.NetOut("values", g.Sender(bounds), c.Histogram.Call(g, "Count", counts, values, bounds))
	prefixes := g.Input("prefixes", bytes)
	g.NetOut("votes", g.Sender(prefixes), c.Voter.Call(g, "Votes", counts, prefixes))
}

// Clinic asks the bank for their common rows.
type Clinic struct{ Data, Asker dsl.Component }

// Body is a meeting.
func (c Clinic) Body(g *dsl.Graph) {
	r := g.Rounds(Meets)
	bank := g.Peers("bank", dsl.AtLeast(1))
	g.NetOut("asked", bank, c.Asker.Call(g, "Ask", bytes, r.Number()))
	match := c.Asker.CallN(g, "Match", []dsl.Type{numbers, numbers}, g.Input("twice", bytes), g.Input("own", bytes))
	g.NetOut("picks", bank, match[1])
	g.Output("clinic_rows", match[0])
}

// Bank answers.
type Bank struct{ Data, Answerer dsl.Component }

// Body answers, and learns its own rows.
func (b Bank) Body(g *dsl.Graph) {
	asked := g.Input("asked", bytes)
	answer := b.Answerer.CallN(g, "Answer", []dsl.Type{bytes, bytes}, asked)
	g.NetOut("twice", g.Sender(asked), answer[0])
	g.NetOut("own", g.Sender(asked), answer[1])
	g.Output("bank_rows", b.Answerer.Call(g, "Rows", numbers, g.Input("picks", numbers)))
}

// Program returns all four.
func Program() dsl.Program {
	data := dsl.Component{Bind: dsl.Go(parts.Data{})}
	return dsl.Program{Name: "counting", Modules: []dsl.Module{
		Server{
			Median: dsl.Component{Bind: dsl.Go(analytics.Quantile{At: 0.5})}, Hitters: dsl.Component{Bind: dsl.Go(analytics.Hitters{Least: 3})},
			Values: dsl.Aggregator{Bind: dsl.Go(analytics.Sum{Shape: []int{10}})}, Votes: dsl.Aggregator{Bind: dsl.Go(analytics.Sum{Most: parts.Words})},
		},
		Client{
			Data: data, Histogram: dsl.Component{Bind: dsl.Go(analytics.Histogram{Bins: 8})},
			Voter: dsl.Component{Bind: dsl.Go(analytics.Voter{}).Needs("Words", "Data")},
		},
		Clinic{Data: data, Asker: dsl.Component{Bind: dsl.Go(psi.Asker{}).Needs("Ids", "Data")}},
		Bank{Data: data, Answerer: dsl.Component{Bind: dsl.Go(psi.Answerer{}).Needs("Ids", "Data")}},
	}}
}
