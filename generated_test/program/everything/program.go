// Package everything is a program with nearly all that the engine does for one:
// timers, queues, limits, gates, rounds, codecs on edges, a bootstrap.
package everything

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/component/codec"
	"github.com/bbgen/bbgen/runtime/component/flat"
	"github.com/bbgen/bbgen/runtime/component/peers"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Worker has slots for components of bbgen's own.
type Worker struct {
	Index dsl.Index
	View  dsl.PeerSelector
	Codec dsl.CodecSlot
}

// Bootstrap runs before everything else.
func (w Worker) Bootstrap(g *dsl.Graph) {
	g.BootstrapOutput("self", g.Self())
}

// Body calls everything.
func (w Worker) Body(g *dsl.Graph) {
	w.roles(g)
	w.time(g)
	w.stores(g)
	w.peers(g)
	w.edges(g)
}

func (w Worker) roles(g *dsl.Graph) {
	x := g.Const([]float32{1, 2, 3, 4})
	x = g.Add(x, g.Cast(g.RngU64(g.Pulse()), tensor.Float32))
	id := w.Index.Add(g, x)
	ids, ds := w.Index.Search(g, x, 3)
	g.AppEmit("ids", ids)
	g.AppEmit("ds", ds)
	w.Index.Remove(g, id)
	w.Index.Train(g, x)
}

func (w Worker) time(g *dsl.Graph) {
	tick := g.OnTrigger(g.Interval(time.Second))
	g.AppEmit("clock", g.Clock(g.After(time.Millisecond, tick)))
	g.AppEmit("slept", g.Sleep(g.RngU64(tick), time.Millisecond))
	event, peer := g.EventSource(dsl.PeerUp)
	g.AppNotify("up", event)
	g.AppEmit("peer", peer)
	for _, phase := range []string{"bootstrap", "running", "stopping", "stopped"} {
		g.AppNotify("is_"+phase, g.LifecyclePhase(phase))
	}
}

func (w Worker) stores(g *dsl.Graph) {
	x := g.Cast(g.RngU64(g.Interval(2*time.Second)), tensor.Float32)
	tee := g.Tee(g.PassThrough(x), 2)
	hold := g.Hold("best", dsl.Float32())
	hold.Stash(g.Gate(tee[0], g.GateDispatch(tee[1], x)))
	g.AppEmit("held", hold.Flush())
	queue := g.Queue("jobs", dsl.Float32())
	queue.Enqueue(x)
	job := queue.Dequeue()
	permit := g.Limit("uploads", 3)
	permit.Release(permit.Acquire())
	g.Record("size", job)
	g.IncrMetric("jobs", 1, job)
	slow, inTime := g.DeadlineMatch(g.Sleep(x, 2*time.Second), x, time.Second)
	g.AppEmit("slow", g.DeadlineCheck(slow, time.Minute))
	g.AppEmit("in_time", inTime)
	g.AppEmit("first", g.FirstOf(x, job))
}

func (w Worker) peers(g *dsl.Graph) {
	some := w.View.Sample(g, 3)
	ready := g.BackoffGateTx(g.PeerHealthGateTx(some))
	g.NetOut("gossip", ready, g.CorrelateTag())
	tag := g.Input("gossip", dsl.Uint64())
	from := g.Sender(tag)
	tag = g.DedupGateRx(g.BackoffGateRx(g.PeerHealthGateRx(tag, from), from), from, tag)
	g.AppEmit("tag", tag)
}

func (w Worker) edges(g *dsl.Graph) {
	r := g.Rounds(3)
	x := r.Carry("model", g.Const([]float32{1, 2, 3}))
	workers := g.Peers("worker", dsl.AtLeast(1))
	pair := g.Bundle(x, r.Number())
	g.NetOut("pair", workers, pair, dsl.Deadline(time.Second))
	parts := g.Unbundle(g.Input("pair", dsl.BundleOf(dsl.Float32(3), dsl.Int64())))
	g.AppEmit("p0", parts[0])
	g.AppEmit("p1", parts[1])
	coded := g.NetOut("coded", g.Peers("registry"), x, dsl.Through(w.Codec))
	g.On("registry").AppEmit("coded", coded)
	small := g.NetOut("small", g.Peers("registry"), x, dsl.Codec("int8"), dsl.Clip(2))
	g.On("registry").AppEmit("small", small)
	half := g.NetOut("half", g.PeerInTurn("registry"), x, dsl.Codec("float16"))
	g.On("registry").AppEmit("half", half)
	r.Next(x, g.Add(x, x))
}

// Registry receives the list of peers and encoded values.
type Registry struct{}

// Body tells the host which peers announce themselves.
func (Registry) Body(g *dsl.Graph) {
	g.AppEmit("announced", g.Sender(g.Input("announce", dsl.TriggerType)))
}

// Announcer announces itself every second.
type Announcer struct{}

// Body is the announcement.
func (Announcer) Body(g *dsl.Graph) {
	g.NetOut("announce", g.Peers("registry"), g.Interval(time.Second))
}

// Program returns all of them.
func Program() dsl.Program {
	return dsl.Program{Name: "everything", Modules: []dsl.Module{Registry{}, Announcer{}, Worker{
		Codec: dsl.CodecSlot{Bind: dsl.Go(codec.Float16{})},
		Index: dsl.Index{Bind: dsl.Go(flat.Index{})},
		View:  dsl.PeerSelector{Of: "worker", Bind: dsl.Go(peers.View{Class: "worker"})},
	}}}
}
