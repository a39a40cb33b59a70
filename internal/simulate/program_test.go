package simulate

import (
	"fmt"
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/replicated"
	"github.com/bbgen/bbgen/dsl/secure"
	"github.com/bbgen/bbgen/internal/simulate/parts"
	"github.com/bbgen/bbgen/runtime/component/clustered"
	"github.com/bbgen/bbgen/runtime/component/flat"
	"github.com/bbgen/bbgen/runtime/component/gossip"
	"github.com/bbgen/bbgen/runtime/component/hnsw"
	"github.com/bbgen/bbgen/runtime/component/kademlia"
	"github.com/bbgen/bbgen/runtime/component/nearest"
	"github.com/bbgen/bbgen/runtime/component/peers"
	"github.com/bbgen/bbgen/runtime/component/raft"
	"github.com/bbgen/bbgen/runtime/component/sampling"
	"github.com/bbgen/bbgen/runtime/component/walk"
	"github.com/bbgen/bbgen/runtime/tensor"
)

var vec = dsl.Float64(2)

// Slots are the slots of each class of peers: a pair for each question, since concurrent questions are answered
// in any order.
type Slots struct {
	Step, Work, Say            [maxPorts]dsl.Component
	Mix                        dsl.Aggregator
	Learn                      [maxPorts][]dsl.Component  // of each strategy
	Vote                       [maxPorts][]dsl.Aggregator // by each rule
	Outer                      [maxPorts]dsl.Component    // of a common step
	Hide                       [maxPorts]secure.Server
	Give                       [maxPorts]secure.Client
	Lie                        secure.Server
	Honest                     secure.Client
	Clerk, Entry, Judge        dsl.Component
	Shuffle, Mean, Walk, Table dsl.Protocol
	Some                       [maxPorts]dsl.PeerSelector // the peers to answer: only the first of a class
	None                       dsl.PeerSelector           // and none
	All                        dsl.PeerSelector           // the workers, by a component
	Drawn                      [maxPorts]dsl.PeerSelector // peers to ask, at random
	Index                      [maxPorts]dsl.Index
	Merge                      [maxPorts]dsl.Aggregator
	Hits, Tally                dsl.Component
	Log                        replicated.Log
	Finder, Voter, Ledger      dsl.Component
	Device                     [maxPorts]dsl.Backend        // calls of one wait for each other, even where a question does not come
	Best                       [maxPorts][]dsl.PeerSelector // a peer to ask, by its loss and the time to its answers
	Sure                       [maxPorts]dsl.PeerSelector   // peers to ask, by how often they have answered
	Kinds                      [maxPorts]dsl.Aggregator
	Kin, Choice                dsl.Component
}

// food is the values that timers put into queues.
var food = []float64{3, -5}

func newSlots(spec *spec) Slots {
	s := Slots{
		Clerk: dsl.Component{Bind: dsl.Go(parts.Clerk{})}, Entry: dsl.Component{Bind: dsl.Go(parts.Entry{})},
		Judge:   dsl.Component{Bind: dsl.Go(parts.Judge{Peers: spec.workers})},
		Shuffle: dsl.Protocol{Bind: dsl.Go(sampling.Shuffle{Class: "worker"})},
		Mean:    dsl.Protocol{Message: dsl.Float64(dsl.Any), Bind: dsl.Go(gossip.PushSum{}).Needs("Others", "SlotsShuffle")},
		Walk:    dsl.Protocol{Bind: dsl.Go(walk.Walk{Cyclic: true, Silence: 30}).Needs("Others", "SlotsShuffle").Needs("Trainer", "SlotsJudge")},
		Mix:     dsl.Aggregator{Bind: dsl.Go(parts.Mixer{})},
		All:     dsl.PeerSelector{Of: "worker", Bind: dsl.Go(peers.View{Class: "worker"})},
		Hits:    dsl.Component{Bind: dsl.Go(nearest.Pack{})},
		Tally:   dsl.Component{Bind: dsl.Go(parts.Tally{})},
		None:    dsl.PeerSelector{Of: "relay", Bind: dsl.Go(parts.FirstRanks{})}}
	s.protocols(spec)
	s.Lie, s.Honest = secure.NewServer(), secure.NewClient(parts.Many)
	s.Lie.Sums.Bind = dsl.Go(parts.Liar{Stranger: spec.seed%2 == 1})
	for i := range maxPorts {
		s.Step[i].Bind = dsl.Go(parts.Counter{})
		s.Work[i].Bind = dsl.Go(parts.Worker{})
		s.Outer[i].Bind = dsl.Go(parts.Nesterov{})
		s.Say[i].Bind = dsl.Go(parts.Herald{})
		s.Device[i].Bind = dsl.Go(parts.Device{})
		s.Drawn[i] = dsl.PeerSelector{Of: "worker", Bind: dsl.Go(parts.NewSampled())}
		s.Index[i].Bind = dsl.Go(flat.Index{})
		if i%2 == 1 {
			s.Index[i].Bind = dsl.Go(hnsw.Index{})
		}
		s.Merge[i].Bind = dsl.Go(nearest.Merge{K: parts.Nearest})
		for _, x := range parts.Electors() {
			s.Best[i] = append(s.Best[i], dsl.PeerSelector{Of: "worker", Bind: dsl.Go(x)})
		}
		s.Some[i] = dsl.PeerSelector{Of: "leader", Bind: dsl.Go(parts.FirstRanks{Ranks: 1})}
		s.Sure[i] = dsl.PeerSelector{Of: "worker", Bind: dsl.Go(parts.Available())}
		s.Kinds[i].Bind = dsl.Go(clustered.Average{Clusters: 2, Size: 2})
		for _, x := range parts.Strategies() {
			s.Learn[i] = append(s.Learn[i], dsl.Component{Bind: dsl.Go(x)})
		}
		for _, x := range parts.Rules() {
			s.Vote[i] = append(s.Vote[i], dsl.Aggregator{Bind: dsl.Go(x)})
		}
		s.Hide[i], s.Give[i] = secure.NewServer(), secure.NewClient(parts.Many)
	}
	return s
}

// protocols binds the slots of what workers do among themselves.
func (s *Slots) protocols(spec *spec) {
	agree := min(max(spec.workers-1, 1), 2) // all others have a value
	s.Table = dsl.Protocol{Bind: dsl.Go(kademlia.Table{Class: "worker", K: 4, Agree: agree, Refresh: 20})}
	s.Kin.Bind, s.Choice.Bind = dsl.Go(parts.Kin{}), dsl.Go(clustered.Choice{})
	s.Finder.Bind = dsl.Go(parts.Finder{Peers: spec.workers})
	s.Log = replicated.New(dsl.Go(raft.Log{Servers: spec.workers, Election: 4}), dsl.GoType(raft.Batch{}, raft.Size(2)), 100*time.Millisecond)
	s.Voter.Bind, s.Ledger.Bind = dsl.Go(parts.Voter{}), dsl.Go(parts.Ledger{Peers: spec.workers})
}

// program returns the spec in the form in which an author would write it.
func (s *spec) program(name string) dsl.Program {
	p := dsl.Program{Name: name, Modules: []dsl.Module{leader{s, newSlots(s)}}}
	asks, visits, far := s.uses()
	if asks {
		p.Modules = append(p.Modules, worker{s, newSlots(s)})
	}
	if visits {
		p.Modules = append(p.Modules, relay{s, newSlots(s)})
	}
	if far {
		p.Modules = append(p.Modules, end{s, newSlots(s)})
	}
	return p
}

// uses returns which classes have work.
func (s *spec) uses() (asks, visits, far bool) {
	for _, a := range s.body {
		asks = asks || a.asks()
		visits = visits || a.kind == visit || a.kind == never || a.kind == pair
		far = far || a.far != nil
	}
	return asks, visits, far
}

// count returns the number of peers of a class.
func (s *spec) count(class string) int {
	if class == "worker" {
		return s.workers
	}
	return 1
}

type leader struct {
	Spec *spec
	Slots
}

// Body records a round of the leader.
func (l leader) Body(g *dsl.Graph) {
	r := g.Rounds(l.Spec.rounds)
	x := r.Carry("x", g.Const(l.Spec.first[:], 2))
	w := writer{g, &l.Slots, 0, "leader", r.Number()}
	from := x
	if l.Spec.boots {
		from = l.Entry.Call(g, "Mix", vec, x)
	}
	out := w.run(from, l.Spec.body)
	r.Next(x, out)
	g.AppEmit("out", out)
	asks, _, _ := l.Spec.uses()
	if asks && l.Spec.lies {
		l.lie(g)
	}
	if asks && l.Spec.gossips {
		g.AppEmit("agreed", g.Input("agreed", vec))
		g.AppEmit("walked", g.Input("walked", vec))
		g.AppEmit("found", g.Input("found", vec))
		l.Ledger.Call(g, "Note", dsl.TriggerType, g.Input("decided", dsl.Float64(3)))
		g.AppEmit("logged", g.Input("logged", vec))
	}
}

// lie asks the workers for a masked sum, in an execution of its own, and does not tell them the truth. They notice, and
// the leader gets no sum.
func (l leader) lie(g *dsl.Graph) {
	self := l.Clerk.Call(g, "Self", dsl.PeersType, g.Pulse())
	g.NetOut("lie", self, g.Gate(g.Const(int64(1)), self), dsl.To("leader"), dsl.Apart())
	sum, _ := l.Lie.Sum(g, "lie", g.Peers("worker"), g.Input("lie", dsl.Int64()), dsl.All, dsl.Within(10*time.Minute))
	g.AppEmit("lie", wide(g, sum))
}

// Bootstrap takes the host's first value for the leader.
func (l leader) Bootstrap(g *dsl.Graph) {
	if l.Spec.boots {
		l.Entry.Call(g, "Set", dsl.TriggerType, g.Input("entry", vec))
	}
}

type worker struct {
	Spec *spec
	Slots
}

// Body records the work of a worker for each question.
func (w worker) Body(g *dsl.Graph) {
	for _, a := range w.Spec.body {
		if !a.asks() {
			continue
		}
		if a.kind == kin {
			w.kin(g, &a)
			continue
		}
		x := g.Input(fmt.Sprint("ask", a.port), vec)
		if a.kind == lazy && a.row&named != 0 {
			g.NetOut(fmt.Sprint("maybe", a.port), w.Some[a.port].CurrentView(g), g.Mul(x, g.Scalar(x, 0.5)))
			continue
		}
		if a.kind == choose {
			g.NetOut(fmt.Sprint("answer", a.port), g.Sender(x), g.Mul(x, g.Scalar(x, 0.5)))
			continue
		}
		y := (&writer{g, &w.Slots, a.port, fmt.Sprint("ask", a.port), dsl.Value{}}).run(x, a.sub)
		switch a.kind {
		case sample, near: // the answer depends on the worker
			g.NetOut(fmt.Sprint("answer", a.port), g.Sender(x), w.Step[a.port].Call(g, "Step", vec, y))
		case common:
			g.NetOut(fmt.Sprint("answer", a.port), g.Sender(x), w.common(g, narrow(g, x), narrow(g, y), a.port))
		case search:
			index := w.Index[a.port]
			ids, distances := index.Search(g, g.Gate(narrow(g, x), index.Add(g, narrow(g, y))), parts.Nearest)
			g.NetOut(fmt.Sprint("answer", a.port), g.Sender(x), w.Hits.Call(g, "Pack", hits, ids, distances))
		case lazy:
			g.NetOut(fmt.Sprint("lazy", a.port), w.Some[a.port].CurrentView(g), y)
		case hide:
			w.Give[a.port].Give(g, fmt.Sprint("hide", a.port), g.Cast(g.Round(g.Mul(y, g.Scalar(y, fixed))), tensor.Int32))
		default:
			g.NetOut(fmt.Sprint("answer", a.port), g.Sender(x), y)
		}
	}
	if w.Spec.lies {
		w.Honest.Give(g, "lie", g.Const([]int32{1, 2}))
	}
	if w.Spec.gossips {
		w.gossip(g)
		w.find(g)
		w.agree(g)
	}
	if w.Spec.ticks {
		g.IncrMetric("ticks", 1, g.Interval(40*time.Millisecond))
	}
}

// common is what all workers have after a common step from x: along the mean of their changes to y. No server adds these.
func (w worker) common(g *dsl.Graph, x, y dsl.Value, port int) dsl.Value {
	change := g.AllReduce(g.Sub(y, x), g.Peers("worker"), dsl.Mean, dsl.IfLost(dsl.Wait), dsl.Port(fmt.Sprint("common", port)))
	return wide(g, w.Outer[port].Call(g, "Step", dsl.Float32(2), x, g.Add(x, change)))
}

// gossip makes a worker find the mean of the workers' values, and train a model that walks. It tells the leader of both.
func (w worker) gossip(g *dsl.Graph) {
	w.Shuffle.Run(g, "shuffle", 500*time.Millisecond)
	w.Mean.Run(g, "mean", 200*time.Millisecond)
	set := w.Mean.Call(g, "Set", dsl.TriggerType, w.Judge.Call(g, "Value", dsl.Float64(1), g.Interval(600*time.Millisecond)))
	out := w.Judge.CallN(g, "Agrees", []dsl.Type{dsl.PeersType, vec}, w.Mean.Call(g, "Estimate", dsl.Float64(1), set))
	g.NetOut("agreed", out[0], out[1], dsl.To("leader"))
	w.Walk.Run(g, "walk", 200*time.Millisecond)
	walked := w.Judge.CallN(g, "Walked", []dsl.Type{dsl.PeersType, vec}, w.Walk.Call(g, "Model", dsl.Float64(dsl.Any), g.Interval(600*time.Millisecond)))
	g.NetOut("walked", walked[0], walked[1], dsl.To("leader"))
}

// find makes a worker store a value at others, and find that of the next one. It tells the leader.
func (w worker) find(g *dsl.Graph) {
	bytes := dsl.Uint8(dsl.Any)
	w.Table.Run(g, "table", 200*time.Millisecond)
	tick := g.Interval(900 * time.Millisecond)
	own := w.Finder.CallN(g, "Put", []dsl.Type{bytes, bytes}, tick)
	w.Table.Call(g, "Put", dsl.TriggerType, own[0], own[1])
	key := w.Finder.Call(g, "Want", bytes, tick)
	w.Table.Call(g, "Get", dsl.TriggerType, key)
	found := w.Finder.CallN(g, "Found", []dsl.Type{dsl.PeersType, vec}, w.Table.Call(g, "Value", bytes, key), w.Table.Call(g, "Nearest", dsl.PeersType, key))
	g.NetOut("found", found[0], found[1], dsl.To("leader"))
}

// agree makes the workers decide the outcomes of rounds, one of them leading. Each tells the leader what is decided.
func (w worker) agree(g *dsl.Graph) {
	number, x := w.Log.Rounds(g, parts.Logged, g.Const([]float32{0, 0}, 2))
	w.Log.Decide(g, number, w.Voter.Call(g, "Outcome", dsl.Float32(2), x))
	round, outcome := w.Log.Decided(g)
	out := w.Voter.CallN(g, "Decided", []dsl.Type{dsl.PeersType, dsl.Float64(3), dsl.PeersType, vec}, round, outcome)
	g.NetOut("decided", out[0], out[1], dsl.To("leader"))
	g.NetOut("logged", out[2], out[3], dsl.To("leader"))
}

// fixed is the number of steps between two integers in a masked sum.
const fixed = 256

type relay struct {
	Spec *spec
	Slots
}

// Body records the work of a relay for each value.
func (r relay) Body(g *dsl.Graph) {
	for _, a := range r.Spec.body {
		if a.kind == pair {
			xs := g.Unbundle(g.Input(fmt.Sprint("pair", a.port), dsl.BundleOf(vec, vec)))
			g.AppEmit(fmt.Sprint("pair", a.port), g.Mul(g.Add(xs[0], xs[1]), g.Scalar(xs[0], 0.5)))
		}
		if a.kind != visit && a.kind != never {
			continue
		}
		x, from := r.visited(g, &a)
		y := (&writer{g, &r.Slots, a.port, fmt.Sprint("visit", a.port), dsl.Value{}}).run(x, a.sub)
		switch {
		case a.kind == never:
			never := g.Input(fmt.Sprint("never", a.port), vec, dsl.WaitFor(3*time.Second))
			g.IncrMetric(fmt.Sprint("never", a.port), 1, g.Gate(never, x))
			g.NetOut(fmt.Sprint("back", a.port), from, y)
		case a.far != nil:
			g.NetOut(fmt.Sprint("far", a.port), g.Peers("end"), y)
		default:
			g.NetOut(fmt.Sprint("back", a.port), from, y)
		}
	}
}

// visited is the value of a visit, and the visitor.
func (r relay) visited(g *dsl.Graph, a *action) (x, from dsl.Value) {
	name := fmt.Sprint("visit", a.port)
	if a.row&own != 0 && a.kind == visit {
		pair := g.Input(name, pairs)
		x, from = r.Clerk.Call(g, "Unpack", vec, pair), g.Sender(pair)
	} else {
		x = g.Input(name, vec)
		from = g.Sender(x)
	}
	if r.Spec.boots {
		x = g.Call(booted{r.Entry}, dsl.Args{"x": x}).Output("y")
	}
	return x, from
}

// pairs is the type of the program's own values.
var pairs = dsl.GoType(parts.Pair{}, 16)

// booted is a module that others call, with a Bootstrap of its own.
type booted struct{ Entry dsl.Component }

// Bootstrap sets the value that is mixed with others: once, however often the module is called.
func (b booted) Bootstrap(g *dsl.Graph) {
	b.Entry.Call(g, "Set", dsl.TriggerType, g.Const([]float64{1, 5}, 2))
}

// Body mixes.
func (b booted) Body(g *dsl.Graph) {
	g.Output("y", b.Entry.Call(g, "Mix", vec, g.Input("x", vec)))
}

type end struct {
	Spec *spec
	Slots
}

// Body records the work of the last peer, which the leader has not asked.
func (e end) Body(g *dsl.Graph) {
	for _, a := range e.Spec.body {
		if a.far != nil {
			x := g.Input(fmt.Sprint("far", a.port), vec)
			y := (&writer{g, &e.Slots, a.port, fmt.Sprint("far", a.port), dsl.Value{}}).run(x, a.far)
			g.NetOut(fmt.Sprint("back", a.port), g.Peers("leader"), y)
		}
	}
}

// writer records actions.
type writer struct {
	g     *dsl.Graph
	slots *Slots
	slot  int
	name  string    // of a named value
	round dsl.Value // the number of a leader's round
}

func (w *writer) run(x dsl.Value, list []action) dsl.Value {
	pool := []dsl.Value{x}
	for i := range list {
		pool = append(pool, w.one(pool, &list[i], fmt.Sprint(w.name, "_", i)))
	}
	return w.mixed(pool)
}

// mixed depends on all values, so that none is unused.
func (w *writer) mixed(pool []dsl.Value) dsl.Value {
	x := pool[0]
	for _, v := range pool[1:] {
		x = w.g.Mul(w.g.Add(x, v), w.g.Scalar(x, 0.5))
	}
	return x
}

func (w *writer) one(pool []dsl.Value, act *action, name string) dsl.Value {
	g, a, b := w.g, pool[act.a], pool[act.b]
	switch act.kind {
	case half:
		return g.Mul(g.Add(a, b), g.Scalar(a, 0.5))
	case diff:
		return g.Mul(g.Sub(a, b), g.Scalar(a, 0.5))
	case larger:
		return g.Max(a, b)
	case lesser:
		return g.Min(a, b)
	case negate:
		return g.Neg(a)
	case step:
		return w.slots.Step[w.slot].Call(g, "Step", vec, a)
	case say:
		return w.slots.Say[w.slot].Call(g, "Say", vec, a)
	case work:
		return w.slots.Work[w.slot].Call(g, "Work", vec, a)
	case fed:
		q := g.Queue(name, vec)
		q.Enqueue(g.Gate(g.Const(food, 2), g.Interval(350*time.Millisecond)))
		return g.Mul(g.Add(a, q.Dequeue(g.GateDispatch(a))), g.Scalar(a, 0.5))
	case ask, common:
		workers := g.Peers("worker")
		if act.row&named != 0 {
			workers = w.slots.All.CurrentView(g, dsl.When(g.OnTrigger(a)))
		}
		return w.ask(workers, a, act, "answer", dsl.Quorum(dsl.All), dsl.Within(10*time.Minute))
	case sample:
		drawn := w.slots.Drawn[act.port].CurrentView(g, dsl.When(g.OnTrigger(a)))
		return w.ask(drawn, a, act, "answer", dsl.Quorum(dsl.All), dsl.Within(10*time.Minute))
	case near:
		chosen := w.slots.All.SelectNear(g, g.Gate(g.Const(act.key(), len(act.key())), a), 1)
		return w.ask(chosen, a, act, "answer", dsl.Quorum(dsl.All), dsl.Within(10*time.Minute))
	case device:
		return w.slots.Device[w.slot].Run(g, halves{}, dsl.Args{"a": a, "b": b}).Output("y")
	case search:
		return w.search(a, act)
	case learn:
		x, y := narrow(g, a), narrow(g, b)
		for _, s := range w.slots.Learn[w.slot] {
			x = s.Call(g, "Step", dsl.Float32(2), x, y)
		}
		return wide(g, x)
	case vote:
		return w.vote(a, act)
	case lazy:
		if act.row&named != 0 {
			return w.selected(a, act, w.slots.Sure[act.port], "maybe", dsl.Quorum(1), dsl.Within(10*time.Second))
		}
		return w.ask(g.Peers("worker"), a, act, "lazy", dsl.Quorum(1), dsl.Within(10*time.Second))
	case never:
		g.NetOut(fmt.Sprint("visit", act.port), g.Peers("relay"), a)
		g.NetOut(fmt.Sprint("never", act.port), w.slots.None.CurrentView(g), a)
		return g.Input(fmt.Sprint("back", act.port), vec)
	case pair:
		g.NetOut(fmt.Sprint("pair", act.port), g.Peers("relay"), g.Bundle(a, b), dsl.Apart())
		return a
	case hide:
		return w.hide(a, act)
	case choose:
		return w.selected(a, act, w.slots.Best[act.port][act.elector()], "answer", dsl.Quorum(dsl.All), dsl.Within(10*time.Minute))
	case kin:
		return w.kin(a, b, act)
	case visit:
		w.visit(a, act)
		return g.Input(fmt.Sprint("back", act.port), vec)
	}
	return w.pass(a, b, act, name)
}

// visit sends a value to the relay.
func (w *writer) visit(a dsl.Value, act *action) {
	g, to, x := w.g, w.g.Peers("relay"), a
	if act.row&named != 0 {
		to = w.slots.Clerk.Call(g, "Relays", dsl.PeersType, a)
	}
	if act.row&own != 0 {
		x = w.slots.Clerk.Call(g, "Pack", pairs, a)
	}
	g.NetOut(fmt.Sprint("visit", act.port), to, x, dsl.To("relay"))
}

// hide sends a value to all workers, and computes the mean of their answers from a masked sum.
func (w *writer) hide(a dsl.Value, act *action) dsl.Value {
	g, workers := w.g, w.g.Peers("worker")
	g.NetOut(fmt.Sprint("ask", act.port), workers, a)
	sum, count := w.slots.Hide[act.port].Sum(g, fmt.Sprint("hide", act.port), workers, g.Gate(w.round, a), dsl.All, dsl.Within(10*time.Minute))
	mean := g.Div(g.Cast(sum, tensor.Float64), g.Mul(wide(g, count), g.Scalar(a, fixed)))
	return g.Reshape(mean, 2)
}

// ask sends a value to workers and mixes their answers, as many as arrive. The time limit begins with the
// question, which may be after another one's.
func (w *writer) ask(workers, a dsl.Value, act *action, answer string, enough ...dsl.CallOption) dsl.Value {
	g := w.g
	g.NetOut(fmt.Sprint("ask", act.port), workers, a)
	y := g.Input(fmt.Sprint(answer, act.port), vec, dsl.From(workers))
	return w.slots.Mix.Aggregate(g, w.slots.Mix.Contribute(g, y, dsl.Value{}), enough...)
}

// halves is what an engine computes.
type halves struct{}

// Body is half of the sum. It reads a twice.
func (halves) Body(g *dsl.Graph) {
	a, b := g.Input("a", vec), g.Input("b", vec)
	quarter := g.Mul(a, g.Scalar(a, 0.25))
	g.Output("y", g.Add(quarter, g.Add(g.Mul(a, g.Scalar(a, 0.25)), g.Mul(b, g.Scalar(b, 0.5)))))
}

// hits is the type of the results of a search on all workers.
var hits = dsl.GoType(nearest.Hits{}, nearest.Size(parts.Nearest, parts.Many))

// search sends a value to all workers, which add the results for it to their indexes, and finds the nearest to the value
// in all indexes.
func (w *writer) search(a dsl.Value, act *action) dsl.Value {
	g, merge, workers := w.g, w.slots.Merge[act.port], w.g.Peers("worker")
	g.NetOut(fmt.Sprint("ask", act.port), workers, a)
	y := g.Input(fmt.Sprint("answer", act.port), hits, dsl.From(workers))
	found := merge.Aggregate(g, merge.Contribute(g, y, dsl.Value{}), dsl.Quorum(dsl.All), dsl.Within(10*time.Minute), hits)
	return w.slots.Tally.Call(g, "Of", vec, found)
}

// selected sends a value to workers that are selected by their earlier answers. The loss of an answer is its largest element.
func (w *writer) selected(a dsl.Value, act *action, by dsl.PeerSelector, answer string, enough ...dsl.CallOption) dsl.Value {
	g := w.g
	workers := by.CurrentView(g, dsl.When(g.OnTrigger(a)))
	g.NetOut(fmt.Sprint("ask", act.port), workers, a)
	y := g.Input(fmt.Sprint(answer, act.port), vec, dsl.From(workers))
	loss := by.Call(g, "Report", dsl.Float32(), g.Sender(y), g.ReduceMax(g.Abs(narrow(g, y))))
	return w.slots.Mix.Aggregate(g, w.slots.Mix.Contribute(g, g.Gate(y, loss), dsl.Value{}), enough...)
}

// vote sends a value to all workers, and aggregates their answers by a rule.
func (w *writer) vote(a dsl.Value, act *action) dsl.Value {
	g, rules := w.g, w.slots.Vote[act.port]
	rule := rules[act.row%len(rules)]
	workers := g.Peers("worker")
	g.NetOut(fmt.Sprint("ask", act.port), workers, a)
	y := narrow(g, g.Input(fmt.Sprint("answer", act.port), vec, dsl.From(workers)))
	weight := g.Add(g.ReduceMax(g.Abs(y)), g.Const(float32(1)))
	return wide(g, rule.Aggregate(g, rule.Contribute(g, y, weight), dsl.Float32(2), dsl.Quorum(dsl.All), dsl.Within(10*time.Minute)))
}

func narrow(g *dsl.Graph, x dsl.Value) dsl.Value { return g.Cast(x, tensor.Float32) }
func wide(g *dsl.Graph, x dsl.Value) dsl.Value   { return g.Cast(x, tensor.Float64) }

// pass records actions that pass on their value through the engine.
func (w *writer) pass(a, b dsl.Value, act *action, name string) dsl.Value {
	g := w.g
	switch act.kind {
	case sleep:
		return g.Sleep(a, 7*time.Millisecond)
	case after:
		return g.Gate(a, g.After(5*time.Millisecond, g.GateDispatch(a)))
	case gate:
		return g.Gate(a, b)
	case tee:
		return g.PassThrough(g.Tee(a, 2)[1])
	case first:
		return g.FirstOf(a, g.Sleep(a, 3*time.Millisecond))
	case inTime:
		v, _ := g.DeadlineMatch(a, b, time.Hour)
		return v
	case hold:
		h := g.Hold(name, vec)
		return h.Flush(h.Stash(a))
	case queue:
		q := g.Queue(name, vec)
		return q.Dequeue(q.Enqueue(a))
	case late:
		v, _ := g.DeadlineMatch(g.Sleep(g.Gate(a, b), 70*time.Millisecond), b, 20*time.Millisecond) // both clocks start with b
		return v
	case permit:
		l := g.Limit(name, 4)
		v := g.Gate(a, l.Acquire(g.GateDispatch(a)))
		return g.Gate(v, l.Release(g.GateDispatch(v)))
	case note:
		g.IncrMetric(name, 1, g.GateDispatch(a))
		g.Record(name, g.ReduceMax(a))
		return g.PassThrough(a)
	}
	return g.Gate(a, g.Clock(g.GateDispatch(a)), g.RngU64(g.GateDispatch(a)))
}
