// Package program searches for vectors that are distributed over shards.
package program

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/examples/search/program/corpus"
	"github.com/bbgen/bbgen/runtime/component/hnsw"
	"github.com/bbgen/bbgen/runtime/component/nearest"
)

//go:generate go tool bbgen . -o ../peer

// The parameters of the program.
const (
	Shards  = 8
	Each    = 500 // vectors of a shard
	Queries = 40
	K       = 10 // number of results of a query
	Period  = time.Second / 2
	Near    = 2 // number of shards that the second query goes to
)

var (
	query     = dsl.Float32(corpus.Dim)
	hits      = dsl.GoType(nearest.Hits{}, nearest.Size(K, Shards))
	ranks     = dsl.Int32(dsl.Any)
	ids       = dsl.Uint64(dsl.Any)
	distances = dsl.Float32(dsl.Any)
)

// Front sends queries to all shards, and to those with vectors near the query.
type Front struct {
	Asker     dsl.Component
	Centers   dsl.Component
	Shards    dsl.PeerSelector
	All, Some dsl.Aggregator
	Hits      dsl.Component
}

// Body is one query in each round.
func (f Front) Body(g *dsl.Graph) {
	middle := g.Input("middle", query)
	f.Centers.Call(g, "Know", dsl.TriggerType, g.Sender(middle), middle)

	r := g.Rounds(Queries, dsl.IfShort(dsl.Repeat))
	g.Output("query", r.Number())
	q := f.Asker.Call(g, "Query", query, r.Number(), g.After(Period, r.Number()))
	shards := g.Peers("shard", dsl.AtLeast(1))
	f.ask(g, "all", f.All, shards, q)
	f.ask(g, "near", f.Some, f.Shards.SelectNear(g, q, Near), q)
}

// ask sends a query to shards, and passes the nearest
// vectors and the shards that have answered to the host.
func (f Front) ask(g *dsl.Graph, name string, merge dsl.Aggregator, shards, q dsl.Value) {
	g.NetOut(name, shards, q)
	heard := merge.Contribute(g, g.Input(name+"_hits", hits, dsl.From(shards)), dsl.Value{})
	found := merge.Aggregate(g, heard, dsl.Quorum(1), hits)
	out := f.Hits.CallN(g, "Unpack", []dsl.Type{ranks, ids, distances, ranks}, found)
	for i, what := range []string{"shard", "id", "distance", "answered"} {
		g.Output(name+"_"+what, out[i])
	}
}

// Shard answers from its index.
type Shard struct {
	Loader dsl.Component
	Index  dsl.Index
	Hits   dsl.Component
}

// Bootstrap fills the index.
func (s Shard) Bootstrap(g *dsl.Graph) { s.Loader.Call(g, "Load", dsl.Int64()) }

// Body sends the mean of the shard's vectors to the front, and answers queries.
func (s Shard) Body(g *dsl.Graph) {
	g.NetOut("middle", g.Peers("front", dsl.AtLeast(1)), s.Loader.Call(g, "Middle", query, g.Pulse()))
	s.answer(g, "all")
	s.answer(g, "near")
}

func (s Shard) answer(g *dsl.Graph, name string) {
	q := g.Input(name, query)
	ids, distances := s.Index.Search(g, q, K)
	g.NetOut(name+"_hits", g.Sender(q), s.Hits.Call(g, "Pack", hits, ids, distances))
}

// Program returns the front and the shard.
func Program() dsl.Program {
	merge := dsl.Aggregator{Bind: dsl.Go(nearest.Merge{K: K})}
	pack := dsl.Component{Bind: dsl.Go(nearest.Pack{})}
	return dsl.Program{Name: "search", Modules: []dsl.Module{
		Front{
			Asker:   dsl.Component{Bind: dsl.Go(corpus.Asker{Shards: Shards})},
			Centers: dsl.Component{Bind: dsl.Go(nearest.Centers{})},
			Shards:  dsl.PeerSelector{Of: "shard", Bind: dsl.Go(nearest.View{Class: "shard"}).Needs("Centers", "Centers")},
			All:     merge, Some: merge, Hits: pack,
		},
		Shard{
			Loader: dsl.Component{Bind: dsl.Go(corpus.Loader{Each: Each}).Needs("Index", "Index")},
			Index:  dsl.Index{Bind: dsl.Go(hnsw.Index{})},
			Hits:   pack,
		},
	}}
}
