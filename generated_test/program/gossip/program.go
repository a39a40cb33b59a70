// Package gossip is a program of protocols: workers announce themselves
// to a registry and learn of others from it, know some at random
// through gossip, and compute the mean of their values through gossip.
package gossip

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/gossip/parts"
	pushsum "github.com/bbgen/bbgen/runtime/component/gossip"
	"github.com/bbgen/bbgen/runtime/component/peers"
	"github.com/bbgen/bbgen/runtime/component/registry"
	"github.com/bbgen/bbgen/runtime/component/sampling"
)

// Registry keeps the list of peers.
type Registry struct{ List dsl.Protocol }

// Body answers workers.
func (r Registry) Body(g *dsl.Graph) { r.List.Serve(g, "here", "worker") }

// Worker is a peer that gossips.
type Worker struct {
	Directory dsl.Protocol
	Shuffle   dsl.Protocol
	Mean      dsl.Protocol
	Sensor    dsl.Component

	There dsl.PeerSelector // peers known from the registry
	Some  dsl.PeerSelector // peers known from gossip
	Next  dsl.PeerSelector // always the next peer
}

// Body runs the protocols, and reports their results.
func (w Worker) Body(g *dsl.Graph) {
	w.Directory.Ask(g, "here", "registry", 2*time.Second)
	w.Shuffle.Run(g, "shuffle", time.Second)
	w.Mean.Run(g, "mean", 500*time.Millisecond)

	tick := g.Interval(5 * time.Second)
	g.AppEmit("there", w.There.CurrentView(g, dsl.When(tick)))
	g.AppEmit("some", w.Some.CurrentView(g, dsl.When(tick)))
	set := w.Mean.Call(g, "Set", dsl.TriggerType, w.Sensor.Call(g, "Read", dsl.Float64(1), tick))
	g.AppEmit("mean", w.Mean.Call(g, "Estimate", dsl.Float64(1), set))
	next := w.Next.SelectAll(g, dsl.When(tick))
	g.AppEmit("next", next)
	g.NetOut("hop", next, g.CorrelateTag(tick), dsl.Apart())
	g.AppEmit("hop", g.Sender(g.Input("hop", dsl.Uint64())))
}

// Program returns both.
func Program() dsl.Program {
	of := func(x any) dsl.PeerSelector { return dsl.PeerSelector{Of: "worker", Bind: dsl.Go(x)} }
	w := Worker{
		Directory: dsl.Protocol{Bind: dsl.Go(registry.Client{Registry: "registry", Wants: []string{"worker"}, TTL: 5})},
		Shuffle:   dsl.Protocol{Bind: dsl.Go(sampling.Shuffle{Class: "worker", Size: 3})},
		Mean:      dsl.Protocol{Message: dsl.Float64(dsl.Any), Bind: dsl.Go(pushsum.PushSum{}).Needs("Others", "Shuffle")},
		Sensor:    dsl.Component{Bind: dsl.Go(parts.Sensor{})},
		There:     of(registry.View{Class: "worker"}), Some: of(sampling.View{}), Next: of(peers.Constant{Class: "worker", Ranks: []int{1}, Ring: true}),
	}
	w.There.Bind = w.There.Bind.Needs("Client", "Directory")
	w.Some.Bind = w.Some.Bind.Needs("Shuffle", "Shuffle")
	return dsl.Program{Name: "gossip", Modules: []dsl.Module{Registry{List: dsl.Protocol{Bind: dsl.Go(registry.Server{})}}, w}}
}
