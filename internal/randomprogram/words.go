package randomprogram

import (
	"fmt"
	"time"

	"github.com/bbgen/bbgen/dsl"
)

// word is something that authors write in one step. Its reply, if there is one, is what the other class records for it.
type word struct {
	name       string
	say, reply func(a *author)
}

var four = dsl.Float32(4)

var words []word

func init() {
	words = []word{
		{name: "send", say: (*author).send},
		{name: "send through a codec", say: (*author).sendCoded},
		{name: "send a bundle", say: (*author).sendBundle},
		{name: "send to peers of the class", say: (*author).sendOwn},
		{name: "send apart", say: (*author).sendApart, reply: func(a *author) { a.tell(a.g.Input(a.port, four)) }},
		{name: "answer the sender", say: (*author).answer},
		{name: "ask", say: (*author).ask, reply: (*author).reply},
		{name: "ask, and fold with a command", say: (*author).askFolding, reply: (*author).reply},
		{name: "rounds", say: (*author).rounds},
		{name: "input", say: func(a *author) { a.keep(a.g.Input(a.port, four)) }},
		{name: "input of any size", say: func(a *author) { a.keep(a.g.Input(a.port, dsl.Float32(dsl.Any, dsl.Any))) }},
		{name: "output", say: func(a *author) { a.g.Output(a.port, a.value()) }},
		{name: "emit", say: func(a *author) { a.tell(a.value()) }},
		{name: "arithmetic", say: (*author).arithmetic},
		{name: "arithmetic with scalars", say: (*author).scalars},
		{name: "movement", say: (*author).movement},
		{name: "nonzero", say: func(a *author) { a.keep(a.g.Op("NonZero", nil, a.floats())) }},
		{name: "branch", say: (*author).branch},
		{name: "loop", say: (*author).loop},
		{name: "first of", say: func(a *author) { a.keep(a.g.FirstOf(a.value(), a.value())) }},
		{name: "first of one", say: func(a *author) { x := a.value(); a.tell(a.g.FirstOf(x, a.g.Sleep(x, time.Second))) }},
		{name: "gate", say: func(a *author) { a.keep(a.g.Gate(a.value(), a.value())) }},
		{name: "in time", say: func(a *author) {
			v, in := a.g.DeadlineMatch(a.value(), a.value(), time.Second)
			a.keep(v, in)
		}},
		{name: "sleep", say: func(a *author) { a.keep(a.g.Sleep(a.value(), time.Second)) }},
		{name: "after", say: func(a *author) { a.keep(a.g.Gate(a.value(), a.g.After(time.Second, a.g.GateDispatch(a.value())))) }},
		{name: "opener", say: func(a *author) {
			a.keep(a.g.Gate(a.floats(), one(a, a.g.Interval(time.Second), a.g.Pulse(), a.g.LifecyclePhase("running"))))
		}},
		{name: "clocks", say: func(a *author) { a.keep(a.g.On(a.other).Clock(), a.g.Clock()) }},
		{name: "call", say: func(a *author) {
			a.keep(a.slots.Own.Call(a.g, a.method("M"), four, a.value()))
		}},
		{name: "call of many outputs", say: func(a *author) {
			a.keep(a.slots.Own.CallN(a.g, a.method("Pair"), []dsl.Type{dsl.Float32("k", 2), dsl.PeersType}, a.value())...)
		}},
		{name: "call of unknown size", say: (*author).sized},
		{name: "codec", say: func(a *author) { a.keep(a.slots.Codec.Encode(a.g, a.floats())) }},
		{name: "model", say: (*author).model},
		{name: "selection", say: (*author).selection},
		{name: "index", say: func(a *author) {
			a.keep(a.slots.Index.Add(a.g, a.floats()))
			a.keep(a.slots.Index.Search(a.g, a.floats(), 2))
		}},
		{name: "engine", say: func(a *author) { a.keep(a.slots.Engine.Run(a.g, doubled{}, dsl.Args{"x": a.floats()}).Output("y")) }},
		{name: "module", say: func(a *author) { a.keep(a.g.Call(called{a.slots.Own}, dsl.Args{"x": a.floats()}).Output("y")) }},
		{name: "state", say: (*author).state},
		{name: "collective", say: (*author).collective},
		{name: "random numbers", say: func(a *author) { a.keep(a.g.RngU64(a.g.GateDispatch(a.value()))) }},
		{name: "metrics", say: func(a *author) {
			a.g.IncrMetric(a.port, 1, a.g.GateDispatch(a.value()))
			a.g.Record(a.port, a.g.ReduceMax(a.floats()))
		}},
		{name: "part", say: func(a *author) { a.keep(a.g.Within(a.port).Add(a.floats(), a.floats())) }},
	}
}

// doubled is what an engine computes.
type doubled struct{}

// Body doubles.
func (doubled) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32(dsl.Any))
	g.Output("y", g.Add(x, x))
}

// called is a module that others call, with a bootstrap of its own.
type called struct{ Own dsl.Component }

// Bootstrap calls a component once.
func (c called) Bootstrap(g *dsl.Graph) {
	c.Own.Call(g, "Set", dsl.TriggerType, g.Const([]float32{1, 2}, 2))
}

// Body calls it for each value.
func (c called) Body(g *dsl.Graph) {
	g.Output("y", c.Own.Call(g, "M0", four, g.Neg(g.Input("x", dsl.Float32(dsl.Any)))))
}

// method returns the name of a method that no other step calls: its operands may have any types.
func (a *author) method(name string) string { return name + a.port }

// peers returns peers of the other class.
func (a *author) peers() dsl.Value {
	return one(a, func() dsl.Value { return a.g.Peers(a.other) }, func() dsl.Value { return a.g.Peers(a.other, dsl.AtLeast(1)) },
		func() dsl.Value { return a.g.PeerInTurn(a.other) })()
}

func (a *author) send() {
	x := a.g.NetOut(a.port, a.peers(), a.value())
	a.tell(x)
	if a.chance(2) {
		a.keep(a.g.Sender(x))
	}
}

func (a *author) sendCoded() {
	how := one(a, dsl.Codec("int8"), dsl.Codec("float16"), dsl.Clip(2), dsl.Deadline(time.Second), dsl.Via(a.slots.Own, "Noise"), dsl.Through(a.slots.Codec))
	a.tell(a.g.NetOut(a.port, a.peers(), a.floats(), how))
}

func (a *author) sendBundle() {
	x := a.g.NetOut(a.port, a.peers(), a.g.Bundle(a.value(), a.value()))
	for i, v := range a.g.Unbundle(x) {
		a.keep(v)
		a.g.AppEmit(fmt.Sprint(a.port, "_", i), v)
	}
}

func (a *author) sendOwn() {
	a.tell(a.g.NetOut(a.port, one(a, a.g.Peers(a.class), a.g.Self()), a.value()))
}

func (a *author) sendApart() {
	x := one(a, a.floats(), a.slots.Own.Call(a.g, a.method("M"), four, a.value()))
	a.g.NetOut(a.port, a.peers(), x, dsl.Apart(), dsl.To(a.other))
}

// answer sends a value, and answers the sender with what arrives.
func (a *author) answer() {
	x := a.g.NetOut(a.port, a.peers(), a.value())
	a.tell(a.g.NetOut(a.port+"a", a.g.Sender(x), one(a, x, a.g.Identity(x)), dsl.To(a.class)))
}

// ask sends a value to the other class, and aggregates the answers.
func (a *author) ask() { a.asked(a.slots.Average, func(x dsl.Value) dsl.Value { return a.g.Neg(x) }) }

// askFolding calls a component for each answer.
func (a *author) askFolding() {
	a.asked(a.slots.Other, func(x dsl.Value) dsl.Value { return a.slots.Own.Call(a.g, a.method("Each"), four, x) })
}

func (a *author) asked(by dsl.Aggregator, each func(x dsl.Value) dsl.Value) {
	peers := one(a, a.g.Peers(a.other), a.g.Peers(a.other, dsl.AtLeast(1)))
	x := a.pool[0]
	if a.chance(2) {
		x = a.slots.Own.Call(a.g, a.method("M"), four, a.value())
	}
	a.g.NetOut(a.port, peers, x)
	in := a.g.Input(a.port+"a", four, dsl.From(peers))
	quorum := []dsl.CallOption{dsl.Quorum(one(a, dsl.All, 1)), four}
	if a.chance(2) {
		quorum = append(quorum, dsl.Within(time.Minute))
	}
	a.tell(by.Aggregate(a.g, by.Contribute(a.g, each(in), dsl.Value{}), quorum...))
}

// reply answers a question.
func (a *author) reply() {
	x := a.g.Input(a.port, four)
	y := a.g.Add(x, x)
	if a.chance(2) {
		y = a.slots.Own.Call(a.g, "Change", four, y)
	}
	a.g.NetOut(a.port+"a", a.g.Sender(x), y)
	a.keep(y)
}

func (a *author) rounds() {
	var how []dsl.RoundsOption
	if a.chance(3) {
		how = append(how, dsl.IfShort(one(a, dsl.Skip, dsl.Repeat)))
	}
	r := a.g.Rounds(1+a.rng.IntN(3), how...)
	c := r.Carry("c", a.floats())
	a.keep(r.Number(), c)
	next := a.g.Add(c, c)
	if a.chance(3) {
		next = a.slots.Own.Call(a.g, a.method("Next"), four, next)
	}
	r.Next(c, next)
	if a.chance(3) {
		r.Until(a.g.Greater(r.Number(), a.g.Const(int64(0))))
	}
	a.g.AppEmit(a.port, c)
}

func (a *author) sized() {
	v := a.slots.Own.Call(a.g, a.method("Vec"), dsl.Float32("k", 2), a.value())
	a.keep(v, a.g.Shape(v), a.g.Reshape(v, -1))
}

func (a *author) model() {
	switch a.rng.IntN(4) {
	case 0:
		a.keep(a.slots.Model.Params(a.g))
	case 1:
		a.keep(a.slots.Model.LoadParameters(a.g, a.floats()))
	case 2:
		x, t := a.slots.Data.NextBatch(a.g, dsl.Float32("b", 4), dsl.Int64("b"))
		a.keep(x, t, a.slots.Model.TrainStep(a.g, x, t))
	default:
		a.keep(a.slots.Model.Forward(a.g, a.floats(), four))
	}
}

func (a *author) selection() {
	a.slots.View.Of = a.other
	chosen := one(a, a.slots.View.CurrentView(a.g), a.slots.View.SelectRandom(a.g, 1), a.slots.View.CurrentView(a.g, dsl.When(a.g.OnTrigger(a.g.GateDispatch(a.value())))))
	a.keep(chosen)
	if a.chance(2) {
		a.tell(a.g.NetOut(a.port, chosen, a.value()))
	}
}

func (a *author) state() {
	switch a.rng.IntN(3) {
	case 0:
		h := a.g.Hold(a.port, four)
		a.keep(h.Flush(h.Stash(a.floats())))
	case 1:
		q := a.g.Queue(a.port, four)
		a.keep(q.Dequeue(q.Enqueue(a.floats())))
	default:
		l := a.g.Limit(a.port, 4)
		x := a.value()
		v := a.g.Gate(x, l.Acquire(a.g.GateDispatch(x)))
		a.keep(a.g.Gate(v, l.Release(a.g.GateDispatch(v))))
	}
}

func (a *author) collective() {
	x, all := a.floats(), a.g.Peers(a.class)
	switch a.rng.IntN(4) {
	case 0:
		a.tell(a.g.AllReduce(x, all, one(a, dsl.Sum, dsl.Mean, dsl.Max)))
	case 1:
		a.tell(a.g.Broadcast(x, all))
	case 2:
		a.tell(a.g.AllGather(x, all))
	default:
		a.keep(a.g.Gate(x, a.g.Barrier(all, []dsl.Value{a.g.GateDispatch(x)})))
	}
}
