// Package program computes the mean of the peers' measurements without a server.
package program

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/examples/gossip/program/sensor"
	"github.com/bbgen/bbgen/runtime/component/gossip"
	"github.com/bbgen/bbgen/runtime/component/sampling"
)

//go:generate go tool bbgen . -o ../peer

// The parameters of the program.
const (
	Known   = 8               // peers that each peer knows
	Period  = time.Second     // in which it sends half of its value
	Shuffle = 5 * time.Second // in which it replaces some of the peers that it knows
	Report  = 10 * time.Second
)

// Peer is one of many equal peers.
type Peer struct {
	Sensor  dsl.Component
	Shuffle dsl.Protocol
	Mean    dsl.Protocol
}

// Body maintains a changing set of known peers, and in each period sends half of the peer's value to one of
// them.
func (p Peer) Body(g *dsl.Graph) {
	p.Shuffle.Run(g, "shuffle", Shuffle)
	p.Mean.Run(g, "mean", Period)
	p.Mean.Call(g, "Set", dsl.TriggerType, p.Sensor.Call(g, "Read", dsl.Float64(1), g.Interval(Period)))
	g.AppEmit("mean", p.Mean.Call(g, "Estimate", dsl.Float64(1), g.Interval(Report)))
}

// Program returns the peers.
func Program() dsl.Program {
	return dsl.Program{Name: "gossip", Modules: []dsl.Module{Peer{
		Sensor:  dsl.Component{Bind: dsl.Go(sensor.Sensor{})},
		Shuffle: dsl.Protocol{Bind: dsl.Go(sampling.Shuffle{Class: "peer", Size: Known, Random: true})},
		Mean:    dsl.Protocol{Message: dsl.Float64(dsl.Any), Bind: dsl.Go(gossip.PushSum{}).Needs("Others", "Shuffle")},
	}}}
}
