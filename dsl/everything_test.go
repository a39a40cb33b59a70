package dsl_test

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Layer is a module that others call.
type Layer struct {
	Encoder dsl.Component
	Width   int
}

func (l Layer) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32("n", l.Width))
	w := g.Const(make([]float32, l.Width*l.Width), l.Width, l.Width)
	y := l.Encoder.Call(g, "Encode", dsl.Float32("n", l.Width), g.Relu(g.MatMul(x, w)))
	g.Output("y", y)
}

// Nested calls a module twice with separate slots, and a module in a field with one slot for both
// calls.
type Nested struct {
	Inner Layer
	Bind  dsl.Binding
}

func (n Nested) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32("batch", 2))
	a := g.Call(n.Inner, dsl.Args{"x": x}).Output("y")
	b := g.Call(n.Inner, dsl.Args{"x": a}).Output("y")
	c := g.Call(Layer{Encoder: dsl.Component{Name: "Other", Bind: n.Bind}, Width: 2}, dsl.Args{"x": b}).Output("y")
	g.Output("y", c)
	g.Output("z", c)
	g.Output("same", x)
}

func nested() dsl.Program {
	return dsl.Program{Name: "nested", Modules: []dsl.Module{&Nested{Inner: Layer{Encoder: dsl.Component{Bind: part}, Width: 2}, Bind: part}}}
}

// Worker has a slot of each kind and calls all methods.
type Worker struct {
	Model    dsl.Model
	Average  dsl.Aggregator
	Codec    dsl.CodecSlot
	Data     dsl.DataSource
	Index    dsl.Index
	View     dsl.PeerSelector
	Gossip   dsl.Protocol
	Own      dsl.Component
	Engine   dsl.Backend
	Teachers []dsl.Model
}

func (w Worker) Bootstrap(g *dsl.Graph) {
	registry := g.Peers("registry")
	g.Announce(registry)
	g.BootstrapOutput("self", g.Self())
	w.Data.OnDataLoaded(g)
}

func (w Worker) Body(g *dsl.Graph) {
	w.roles(g)
	w.time(g)
	w.stores(g)
	w.peers(g)
	w.edges(g)
	w.together(g)
}

func (w Worker) roles(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32("n", 4))
	y := w.Model.Forward(g, x, dsl.Float32("n", 2))
	w.Model.Backward(g, y, dsl.Float32("n", 4))
	w.Model.ComputeLoss(g, x, y)
	_, dx := w.Model.TrainStepGradient(g, g.Bundle(x, x), y)
	w.Own.CallN(g, "Send", []dsl.Type{dsl.TriggerType}, g.Unbundle(dx)...)
	w.Model.TrainSteps(g, w.Data, 5)
	gradients, _ := w.Model.Gradients(g, x, y)
	w.Model.ApplyGradients(g, gradients)
	parts, _ := w.Model.GradientBuckets(g, x, y, 3)
	w.Model.ApplyGradients(g, parts[2])
	w.Model.ApplyDelta(g, w.Model.Params(g, dsl.When(w.Data.Reset(g), y)))
	for _, t := range w.Teachers {
		t.Forward(g, x)
	}
	id := w.Index.Add(g, x)
	w.Index.Search(g, x, 3)
	w.Index.Remove(g, id)
	w.Index.Train(g, x)
	w.Codec.Train(g, x)
	w.Codec.Decode(g, w.Codec.Encode(g, x), dsl.Float32("n", 4))
	g.Output("mlp", w.Engine.Run(g, MLP{}, dsl.Args{"x": x}).Output("y"))
	w.Gossip.CallN(g, "Start", nil, g.Pulse())
	w.Gossip.Run(g, "rumour", time.Second)
	w.Own.CallN(g, "Mix", []dsl.Type{dsl.Float32("n", 4), dsl.TriggerType}, x)
	w.View.Call(g, "Score", dsl.Float32("n", 4), x)
}

func (w Worker) time(g *dsl.Graph) {
	tick := g.OnTrigger(g.Interval(time.Second))
	g.Clock(g.After(time.Millisecond, tick))
	g.Sleep(g.RngU64(tick), time.Millisecond)
	event, peer := g.EventSource(dsl.PeerDown)
	g.AppNotify("down", event)
	g.AppEmit("peer", peer)
	g.LifecyclePhase("stopping")
}

func (w Worker) stores(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32("n", 4))
	tee := g.Tee(g.PassThrough(x), 2)
	hold := g.Hold("best", dsl.Float32("n", 4))
	hold.Stash(g.Gate(tee[0], g.GateDispatch(tee[1], x)))
	hold.Flush()
	queue := g.Queue("jobs", dsl.Float32("n", 4))
	queue.Enqueue(x)
	job := queue.Dequeue()
	permit := g.Limit("uploads", 3)
	permit.Release(permit.Acquire(x))
	hold.Flush(g.After(time.Second, x))
	g.Record("size", g.ReduceMax(job))
	g.IncrMetric("jobs", 1, job)
	slow, inTime := g.DeadlineMatch(g.Sleep(x, time.Second), x, time.Second)
	g.Output("slow", g.DeadlineCheck(slow, time.Minute))
	g.Output("in_time", inTime)
	g.Output("first", g.FirstOf(x, job))
}

func (w Worker) peers(g *dsl.Graph) {
	some := w.View.Sample(g, 3)
	g.PeerInTurn("registry")
	w.View.SelectRandom(g, 3)
	w.View.SelectAll(g)
	w.View.SelectNear(g, g.Const([]float32{1}), 2)
	w.View.CurrentView(g)
	ready := g.BackoffGateTx(g.PeerHealthGateTx(some))
	g.NetOut("gossip", ready, g.CorrelateTag())
	tag := g.Input("gossip", dsl.Uint64())
	from := g.Sender(tag)
	tag = g.DedupGateRx(g.BackoffGateRx(g.PeerHealthGateRx(tag, from), from), from, tag)
	g.AppEmit("tag", tag)
	g.Insert(from, g.Lookup(from))
	g.Insert(from, g.Lookup(from), g.Lookup(from))
}

func (w Worker) edges(g *dsl.Graph) {
	r := g.Rounds(3)
	x := r.Carry("model", g.Const([]float32{1, 2, 3}))
	registries := g.Peers("registry", dsl.AtLeast(1))
	pair := g.Bundle(x, r.Number())
	g.NetOut("pair", registries, pair, dsl.Deadline(time.Second))
	parts := g.Unbundle(g.Input("echo", dsl.BundleOf(dsl.Float32(3), dsl.Int64()), dsl.From(registries)))
	coded := g.NetOut("coded", g.Peers("registry"), x, dsl.Through(w.Codec))
	g.On("registry").AppEmit("coded", g.Cast(coded, tensor.Float64))
	mean, total := w.Average.AggregateWeighted(g, w.Average.Contribute(g, parts[0], dsl.Value{}), dsl.Quorum(dsl.All))
	r.Next(x, mean)
	r.Until(g.Less(total, g.Scalar(total, 1)))
}

func (w Worker) together(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32("n", 4))
	all := g.Peers("worker")
	g.Enter(g.Const(int64(0)), all, []dsl.Slot{&w.Model})
	sum := g.AllReduce(x, all, dsl.Sum, dsl.IfLost(dsl.Repeat))
	mean := g.AllReduce(sum, all, dsl.Mean, dsl.IfLost(dsl.Repeat), dsl.By(dsl.Ring), dsl.Finite())
	g.ReduceScatter(mean, all, dsl.Max, dsl.IfLost(dsl.Repeat))
	g.AllGather(x, all, dsl.IfLost(dsl.Repeat), dsl.Port("parts"))
	g.Broadcast(x, all, dsl.IfLost(dsl.Repeat), dsl.Root(1))
	g.Reduce(x, all, dsl.Sum, dsl.IfLost(dsl.Repeat), dsl.Compress("int8"), dsl.Feedback())
	g.Barrier(all, []dsl.Value{mean}, dsl.IfLost(dsl.Repeat))
}

// Registry receives the list of peers, and returns messages to their senders.
type Registry struct{}

func (Registry) Body(g *dsl.Graph) {
	g.AppEmit("announced", g.Sender(g.Input("announce", dsl.TriggerType)))
	pair := g.Input("pair", dsl.BundleOf(dsl.Float32(3), dsl.Int64()))
	g.NetOut("echo", g.Sender(pair), pair)
}

func everything() dsl.Program {
	return dsl.Program{Name: "everything", Modules: []dsl.Module{Registry{}, Worker{
		Model: dsl.Model{Bind: part}, Average: dsl.Aggregator{Bind: part}, Codec: dsl.CodecSlot{Bind: part},
		Data: dsl.DataSource{Bind: part.Needs("Index", "Index")}, Index: dsl.Index{Bind: part},
		View: dsl.PeerSelector{Of: "worker", Bind: part}, Gossip: dsl.Protocol{Bind: part}, Own: dsl.Component{Bind: part}, Engine: dsl.Backend{Bind: part},
		Teachers: []dsl.Model{{Bind: part}, {Bind: part}},
	}}}
}

// MLP is for a backend: it only computes.
type MLP struct{}

func (MLP) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32("rows", 4))
	g.Output("y", g.Softmax(g.MatMul(x, g.Const([]float32{1, 2, 3, 4}, 4, 1)), 0))
}
