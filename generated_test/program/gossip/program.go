// Package gossip is a program of protocols: workers tell a registry that they are
// there and learn from it of others, know some at random by gossip, and find by
// gossip the mean of what each has.
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

// Registry keeps the list of who is there.
type Registry struct{ List dsl.Protocol }

// Body answers workers.
func (r Registry) Body(g *dsl.Graph) { r.List.Serve(g, "here", "worker") }

// Worker is one of those who gossip.
type Worker struct {
	Directory dsl.Protocol
	Shuffle   dsl.Protocol
	Mean      dsl.Protocol
	Sensor    dsl.Component

	There dsl.PeerSelector // those that the registry tells of
	Some  dsl.PeerSelector // those that gossip knows
	Next  dsl.PeerSelector // the one behind it, always
}

// Body runs the protocols, and tells what has come of them.
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
