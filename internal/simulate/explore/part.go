package explore

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
	"github.com/bbgen/bbgen/runtime/wire/edgeid"
)

// The slots of a peer.
const slots = 2

// part is the program of one peer: a partition, and its state.
type part struct {
	runtime.Partition
	c          *Case
	names      map[string]int // of edges
	index      int            // of the peer
	rank       int
	deeds      *ledger
	left       map[deed]bool // fills that this incarnation leaves to the next, as it is stopping
	blocksLast bool          // to the last of the workers, which is blocked
	boots      bool          // the bootstrap runs again
	queued     runtime.Queue
	ticks      runtime.Counter
	seen       counted
	wrong      func(error)                                                         // called with violated invariants
	skips      func(lane, round int)                                               // called with skipped rounds
	fails      func(x wire.ExecID, name string, block, last, lane, round int) bool // whether a block fails; nil: none does
}

// The peers of a case, in the order of their addition.
func (c *Case) peers() int { return 3 + c.Program.Workers }

const leader, relay, end, firstWorker = 0, 1, 2, 3

// class returns the class and rank of a peer.
func (c *Case) class(i int) (string, int) {
	switch i {
	case leader:
		return "leader", 0
	case relay:
		return "relay", 0
	case end:
		return "end", 0
	}
	return "worker", c.Program.Workers - 1 - (i - firstWorker) // the order of ranks differs from that of names
}

func (c *Case) className(i int) string {
	class, _ := c.class(i)
	return class
}

// worker returns the peer of a rank.
func (c *Case) worker(rank int) int { return firstWorker + c.Program.Workers - 1 - rank }

func (c *Case) isInsider(i int) bool { return i >= c.peers()-c.Insiders }

// isForgetful reports whether a peer has no state directory.
func (c *Case) isForgetful(i int) bool { return slices.Contains(c.Forgets, i) }

// mayLeave reports whether a fault removes a peer for good.
func (c *Case) mayLeave(i int) bool {
	return slices.ContainsFunc(c.World.Faults, func(f mem.Fault) bool { return f.Kind == mem.Leave && f.Node == i })
}

// isBlocked reports whether a peer is blocked, now or later.
func (c *Case) isBlocked(i int) bool { return c.Blocked > 0 && i == c.peers()-1 }

var typeOf = edgeid.Type("float64[?]")

// newPart makes the program of peer i.
func newPart(c *Case, i int, wrong func(error)) *part {
	class, rank := c.class(i)
	p := &part{c: c, names: map[string]int{}, index: i, rank: rank, deeds: &ledger{}, left: map[deed]bool{}, wrong: wrong}
	p.Class, p.Fingerprint, p.Schema = class, []byte("explored"), 1
	p.Slots = []string{"work", "other"}
	p.queued.Name, p.ticks.Name = "food", "ticks"
	p.Components, p.Stores = []runtime.Component{p.deeds}, []runtime.Store{&p.queued, &p.ticks}
	p.edges()
	switch class {
	case "leader":
		p.round()
	case "worker":
		p.answers(Ask, "answer")
		p.answers(Few, "answer")
	case "relay":
		p.answers(Visit, "back")
		p.answers(Far, "on")
		p.addRelayModules()
	case "end":
		p.addEnd()
	}
	if c.Program.Ticks || class == "leader" && c.has(Feed) {
		p.clock()
	}
	return p
}

func (c *Case) has(k Kind) bool { return c.Program.count(k) > 0 }

// edge adds an edge to the table, which all peers have.
func (p *part) edge(name, from string, origins ...string) {
	p.names[name] = len(p.Edges)
	p.Edges = append(p.Edges, runtime.Edge{ID: edgeID(name), Type: typeOf, Name: name, From: from, Dims: 1, Origins: origins, Within: hours})
}

// hours is longer than any case.
const hours = 10 * 3600e9

var edgeIDs = map[string]wire.EdgeID{}

func init() {
	for k := range 8 {
		for _, name := range []string{"ask", "answer", "tell", "visit", "on", "back", "self", "stray", "never", "apart", "apart_too"} {
			name = fmt.Sprint(name, k)
			edgeIDs[name] = edgeid.Edge(name)
		}
	}
}

func edgeID(name string) wire.EdgeID { return edgeIDs[name] }

func (p *part) edges() {
	for k, s := range p.c.Program.Steps {
		name := func(what string) string { return fmt.Sprint(what, k) }
		switch s.Kind {
		case Ask, Few:
			p.edge(name("ask"), "leader")
			p.edge(name("answer"), "worker")
			p.edge(name("tell"), "worker")
		case Visit:
			p.edge(name("visit"), "leader")
			p.edge(name("back"), "relay")
		case Far:
			p.edge(name("visit"), "leader")
			p.edge(name("on"), "relay", "leader")
			p.edge(name("back"), "end")
		case Self:
			p.edge(name("self"), "leader")
		case Stray:
			p.edge(name("stray"), "leader")
			p.edge(name("never"), "end", "leader")
		case Apart:
			p.edge(name("apart"), "leader")
			p.edge(name("apart_too"), "leader")
		}
	}
}

// receive makes the peer the receiver of an edge.
func (p *part) receive(name string, module, cut int) {
	e := &p.Edges[p.names[name]]
	e.Receives, e.Module, e.Cut = true, module, cut
}

// receiveLarge makes the peer the receiver of an edge whose values may stay in files.
func (p *part) receiveLarge(name string, module, cut int) {
	p.receive(name, module, cut)
	p.Edges[p.names[name]].InParts = true
}

// module adds a module.
func (p *part) module(m runtime.Module) int {
	p.Modules = append(p.Modules, m)
	return len(p.Modules) - 1
}

// chain adds a module that executes steps one after the other, and whose first value comes with an invocation
// or a fill.
func (p *part) chain(name string, first runtime.CutKind, steps []Step, reply string) int {
	at := len(p.Modules)
	s := &script{part: p, module: at, name: name, steps: steps, reply: reply, top: name[len(name)-1:]}
	m := runtime.Module{Name: name, New: func() runtime.Body { return &chain{s: s} }, Cuts: []runtime.Cut{{Kind: first, Name: name}}}
	if first == runtime.InputCut {
		m.Inputs = []int{0}
	}
	wait, any := uint64(1), false
	for i, step := range steps {
		b := runtime.Block{Name: fmt.Sprint("step", i), Wait: wait, Any: any, Ops: 1}
		wait, any = 0, step.Kind == Either
		s.cuts = append(s.cuts, len(m.Cuts))
		for _, c := range cutsOf(step.Kind, i) {
			bit := uint64(1) << len(m.Cuts)
			wait |= bit
			if c.Kind != runtime.FillCut {
				b.Starts |= bit
			}
			m.Cuts = append(m.Cuts, c)
		}
		m.Blocks = append(m.Blocks, b)
	}
	m.Blocks = append(m.Blocks, runtime.Block{Name: "last", Wait: wait, Any: any, Ops: 2, Sends: p.replies(name, reply)})
	if short := p.c.Program.Short; first == runtime.InputCut && short != runtime.ShortFails {
		goesOn(&m, short)
	}
	return p.module(m)
}

// replies describes to whom a chain sends its result.
func (p *part) replies(name, reply string) []runtime.Sending {
	if reply == "" {
		return nil
	}
	s := runtime.Sending{Edge: p.names[reply]}
	switch {
	case reply[:2] == "on":
		s.To, s.Class = runtime.ToClass, "end"
	case name[:2] == "on":
		s.To, s.Class = runtime.ToClass, "leader"
	}
	return []runtime.Sending{s}
}

// goesOn makes a loop continue after a round without a quorum.
func goesOn(m *runtime.Module, short runtime.ShortPolicy) {
	m.Short, m.Again = short, len(m.Cuts)
	m.Cuts = append(m.Cuts, runtime.Cut{Kind: runtime.TimerCut, Name: "again"})
	m.Blocks[len(m.Blocks)-1].Starts |= 1 << m.Again
	m.Blocks = append(m.Blocks, runtime.Block{Name: "again", Wait: 1 << m.Again, Ops: 1})
}

// cutsOf returns the cut points of a step.
func cutsOf(k Kind, i int) []runtime.Cut {
	cut := func(kind runtime.CutKind, slot int) runtime.Cut {
		return runtime.Cut{Kind: kind, Name: fmt.Sprint("cut", i), Slot: slot}
	}
	switch k {
	case Sleep:
		return []runtime.Cut{cut(runtime.TimerCut, 0)}
	case Work:
		return []runtime.Cut{cut(runtime.CommandCut, 0)}
	case Other:
		return []runtime.Cut{cut(runtime.CommandCut, 1)}
	case Either:
		return []runtime.Cut{cut(runtime.TimerCut, 0), cut(runtime.CommandCut, 0)}
	case Ask, Few:
		return []runtime.Cut{cut(runtime.GatherCut, 0)}
	case Visit, Far, Self:
		return []runtime.Cut{cut(runtime.FillCut, 0), cut(runtime.LocalCut, 0)} // without the question the answer is not waited for
	case Feed, Await:
		return []runtime.Cut{cut(runtime.EventCut, 0)}
	}
	return []runtime.Cut{cut(runtime.LocalCut, 0)}
}

// round adds the leader's module.
func (p *part) round() {
	m := p.chain("round", runtime.InputCut, p.c.Program.Steps, "")
	s := p.Modules[m].New().(*chain).s
	for k, step := range p.c.Program.Steps {
		switch step.Kind {
		case Ask, Few:
			name := fmt.Sprint("answer", k)
			child := p.module(runtime.Module{Name: name, Child: true, Parent: m, ParentCut: s.cuts[k],
				New:    func() runtime.Body { return &answer{p: p} },
				Blocks: []runtime.Block{{Name: "received", Wait: 1, Ops: 1}}, Cuts: []runtime.Cut{{Kind: runtime.FillCut, Name: "answer"}}})
			if k%2 == 0 {
				p.receiveLarge(name, child, 0)
			} else {
				p.receive(name, child, 0)
			}
		case Visit, Far:
			p.receive(fmt.Sprint("back", k), m, s.cuts[k])
		case Self:
			p.receive(fmt.Sprint("self", k), m, s.cuts[k])
		}
	}
}

// answers adds the module of the asked peers.
func (p *part) answers(k Kind, reply string) {
	ask := "visit"
	if k == Ask || k == Few {
		ask = "ask"
	}
	for i, step := range p.c.Program.Steps {
		if step.Kind == k {
			name := fmt.Sprint(ask, i)
			p.receive(name, p.chain(name, runtime.FillCut, step.Sub, fmt.Sprint(reply, i)), 0)
		}
	}
}

// addEnd adds the module of the end: it answers for the relay.
func (p *part) addEnd() {
	for i, step := range p.c.Program.Steps {
		if step.Kind == Far {
			name := fmt.Sprint("on", i)
			p.receive(name, p.chain(name, runtime.FillCut, nil, fmt.Sprint("back", i)), 0)
		}
	}
}

// addRelayModules adds further modules of the relay: it starts slowly, receives messages in separate executions, and waits
// for values that never come.
func (p *part) addRelayModules() {
	if p.c.Program.Boot > 0 {
		p.module(runtime.Module{Name: "boot", Bootstrap: true, New: func() runtime.Body { return &boot{p: p} },
			Blocks: []runtime.Block{{Name: "begin", Starts: 1}, {Name: "end", Wait: 1}}, Cuts: []runtime.Cut{{Kind: runtime.TimerCut, Name: "booted"}}})
	}
	for i, step := range p.c.Program.Steps {
		switch step.Kind {
		case Ask, Few:
			name := fmt.Sprint("tell", i)
			p.receive(name, p.chain(name, runtime.FillCut, []Step{{Kind: Sleep}, {Kind: Work}}, ""), 0)
		case Apart:
			name, too := fmt.Sprint("apart", i), fmt.Sprint("apart_too", i)
			m := p.module(runtime.Module{Name: name, New: func() runtime.Body { return &pair{answer: answer{p: p}, edge: p.names[name]} },
				Blocks: []runtime.Block{{Name: "both", Wait: 3, Ops: 1}},
				Cuts:   []runtime.Cut{{Kind: runtime.FillCut, Name: "apart"}, {Kind: runtime.FillCut, Name: "apart_too"}}})
			p.receiveLarge(name, m, 0)
			p.receive(too, m, 1)
		case Stray:
			name := fmt.Sprint("stray", i)
			m := p.module(runtime.Module{Name: name, New: func() runtime.Body { return &answer{p: p} },
				Blocks: []runtime.Block{{Name: "both", Wait: 3}},
				Cuts:   []runtime.Cut{{Kind: runtime.FillCut, Name: "stray"}, {Kind: runtime.FillCut, Name: "never", Within: strayTime}}})
			p.receiveLarge(name, m, 0)
			p.receive(fmt.Sprint("never", i), m, 1)
		}
	}
}

const strayTime = 2e9

// clock adds a timer that ticks and feeds a queue.
func (p *part) clock() {
	p.module(runtime.Module{Name: "tick", Every: 40e6, New: func() runtime.Body { return &tick{p: p} }, Blocks: []runtime.Block{{Name: "tick"}}})
}

// tick feeds the queue, up to some values.
type tick struct {
	runtime.Frame
	p *part
}

func (f *tick) Run(e *runtime.Engine, _ int) error {
	f.p.ticks.Add(e, 1)
	if f.p.queued.Len() < 4 {
		f.p.queued.Enqueue(e, values.AppendDense(f.p.queued.Buffer(), tensor.DenseOf([]float64{3}, 1)))
	}
	return nil
}

// boot takes some time. While it runs again nothing that has not come before is taken.
type boot struct {
	runtime.Frame
	p *part
}

func (f *boot) Run(e *runtime.Engine, block int) error {
	done, _ := f.p.deeds.has(booted)
	f.p.boots = done && block == 0
	if block == 0 {
		e.After(&f.Frame, 0, f.p.c.Program.Boot)
	} else {
		f.p.deeds.add(booted)
	}
	return nil
}
