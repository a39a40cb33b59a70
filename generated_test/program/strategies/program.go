// Package strategies is a federation with two hostile clients. Its server
// computes each round's model with every rule of aggregation, continues
// with every optimizer, and receives the same values with every codec.
package strategies

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/strategies/parts"
	"github.com/bbgen/bbgen/runtime/component/codec"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
	"github.com/bbgen/bbgen/runtime/component/fedopt"
	"github.com/bbgen/bbgen/runtime/component/qfedavg"
	"github.com/bbgen/bbgen/runtime/component/robust/bulyan"
	"github.com/bbgen/bbgen/runtime/component/robust/geomedian"
	"github.com/bbgen/bbgen/runtime/component/robust/krum"
	"github.com/bbgen/bbgen/runtime/component/robust/median"
	"github.com/bbgen/bbgen/runtime/component/robust/normbound"
	"github.com/bbgen/bbgen/runtime/component/robust/trimmed"
)

// The parameters of the program.
const (
	Rounds = 4
	Quorum = 7
	Within = 10 * time.Second
)

// Rules are aggregators, which all are given the same.
type Rules struct {
	Mean, Median, Trimmed, Krum, MultiKrum, Bulyan, Geometric, Bounded, Fair dsl.Aggregator
}

// Optimizers are the optimizers of the server.
type Optimizers struct {
	Momentum, Nesterov, Adagrad, Adam, Yogi dsl.Component
}

// Codecs are the codecs of the clients, one for each edge.
type Codecs struct {
	BFloat16, Channels, Eight, Four, Sign, TopK, RandomK dsl.CodecSlot
}

// Server has an aggregator for each rule and each codec.
type Server struct {
	Rules
	Optimizers
	BFloat16, Channels, Eight, Four, Sign, TopK, RandomK dsl.Aggregator
}

// Body is a round.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds, dsl.IfShort(dsl.Repeat))
	model := r.Carry("model", g.Const([]float32{0, 0, 0, 0, 0, 0, 0, 0}))
	clients := g.Peers("client", dsl.AtLeast(Quorum+2))
	g.NetOut("model", clients, model)
	g.Output("round", r.Number())

	change := g.Input("change", dsl.Float32(dsl.Any), dsl.From(clients))
	aggregate := func(name string, a dsl.Aggregator, x dsl.Value) dsl.Value {
		y := a.Aggregate(g, a.Contribute(g, x, dsl.Value{}), dsl.Quorum(Quorum), dsl.Within(Within))
		g.Output(name, y)
		return y
	}
	middle := aggregate("median", s.Median, change)
	aggregate("mean", s.Mean, change)
	aggregate("trimmed", s.Trimmed, change)
	aggregate("krum", s.Krum, change)
	aggregate("multikrum", s.MultiKrum, change)
	aggregate("bulyan", s.Bulyan, change)
	aggregate("geometric", s.Geometric, change)
	aggregate("bounded", s.Bounded, change)
	aggregate("fair", s.Fair, change)

	next := g.Add(model, middle)
	r.Next(model, next)
	step := func(name string, o dsl.Component) {
		g.Output(name, o.Call(g, "Step", dsl.Float32(dsl.Any), model, next))
	}
	step("momentum", s.Momentum)
	step("nesterov", s.Nesterov)
	step("adagrad", s.Adagrad)
	step("adam", s.Adam)
	step("yogi", s.Yogi)

	coded := func(name string, a dsl.Aggregator) {
		aggregate(name+"_mean", a, g.Input(name, dsl.Float32(dsl.Any), dsl.From(clients)))
	}
	coded("bfloat16", s.BFloat16)
	coded("channels", s.Channels)
	coded("eight", s.Eight)
	coded("four", s.Four)
	coded("sign", s.Sign)
	coded("topk", s.TopK)
	coded("randomk", s.RandomK)
}

// Client is one of the server's.
type Client struct {
	Learner dsl.Component
	Codecs
}

// Body is a client's part of a round. Values on an edge with a codec are clipped first.
func (c Client) Body(g *dsl.Graph) {
	model := g.Input("model", dsl.Float32(dsl.Any))
	server := g.Sender(model)
	change := c.Learner.Call(g, "Change", dsl.Float32(dsl.Any), model)
	g.NetOut("change", server, c.Learner.Call(g, "Sent", dsl.Float32(dsl.Any), change))

	coded := func(name string, s dsl.CodecSlot) { g.NetOut(name, server, change, dsl.Clip(2), dsl.Through(s)) }
	coded("bfloat16", c.BFloat16)
	coded("channels", c.Channels)
	coded("eight", c.Eight)
	coded("four", c.Four)
	coded("sign", c.Sign)
	coded("topk", c.TopK)
	coded("randomk", c.RandomK)
}

// Program returns both.
func Program() dsl.Program {
	mean := dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})}
	return dsl.Program{Name: "strategies", Modules: []dsl.Module{
		Server{
			Rules: Rules{
				Mean: mean, Median: dsl.Aggregator{Bind: dsl.Go(median.Aggregator{})},
				Trimmed: dsl.Aggregator{Bind: dsl.Go(trimmed.Aggregator{Faulty: 1})},
				Krum:    dsl.Aggregator{Bind: dsl.Go(krum.Aggregator{Faulty: 1})}, MultiKrum: dsl.Aggregator{Bind: dsl.Go(krum.Aggregator{Faulty: 1, Keep: 3})},
				Bulyan: dsl.Aggregator{Bind: dsl.Go(bulyan.Aggregator{Faulty: 1})}, Geometric: dsl.Aggregator{Bind: dsl.Go(geomedian.Aggregator{})},
				Bounded: dsl.Aggregator{Bind: dsl.Go(normbound.Aggregator{})}, Fair: dsl.Aggregator{Bind: dsl.Go(qfedavg.Aggregator{Q: 1, Rate: 0.1})},
			},
			Optimizers: Optimizers{
				Momentum: dsl.Component{Bind: dsl.Go(fedopt.Momentum{})}, Nesterov: dsl.Component{Bind: dsl.Go(fedopt.Nesterov{})},
				Adagrad: dsl.Component{Bind: dsl.Go(fedopt.Adagrad{})}, Adam: dsl.Component{Bind: dsl.Go(fedopt.Adam{})}, Yogi: dsl.Component{Bind: dsl.Go(fedopt.Yogi{})},
			},
			BFloat16: mean, Channels: mean, Eight: mean, Four: mean, Sign: mean, TopK: mean, RandomK: mean,
		},
		Client{
			Learner: dsl.Component{Bind: dsl.Go(parts.Learner{})},
			Codecs: Codecs{
				BFloat16: dsl.CodecSlot{Bind: dsl.Go(codec.BFloat16{})}, Channels: dsl.CodecSlot{Bind: dsl.Go(codec.Channels{})},
				Eight: dsl.CodecSlot{Bind: dsl.Go(codec.Blocks{Size: 4})}, Four: dsl.CodecSlot{Bind: dsl.Go(codec.Blocks{Bits: 4, Size: 4})},
				Sign: dsl.CodecSlot{Bind: dsl.Go(codec.Sign{Size: 8})}, TopK: dsl.CodecSlot{Bind: dsl.Go(codec.TopK{Fraction: 0.5})},
				RandomK: dsl.CodecSlot{Bind: dsl.Go(codec.RandomK{Fraction: 0.5})},
			},
		},
	}}
}
