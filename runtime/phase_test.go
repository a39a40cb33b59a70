package runtime

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

// stage is a frame that records when it is filled, when it runs and when it is freed.
type stage struct {
	Frame
	name string
	say  func(string)
	run  func(f *stage, n *Engine, block int)
}

func (f *stage) Fill(int, *wire.SlotFill) error { f.say("fill of " + f.name); return nil }
func (f *stage) Clear()                         { f.say("end of " + f.name) }
func (f *stage) Task(int) Task                  { return nil }
func (f *stage) Run(e *Engine, block int) error {
	f.say("run of " + f.name)
	if f.run != nil {
		f.run(f, e, block)
	}
	return nil
}

// In one cycle there is work in each phase. Poll does it in the order that its comment gives.
func TestPhases(t *testing.T) {
	const second = int64(1e9)
	var trace []string
	say := func(s string) { trace = append(trace, s) }
	module := func(name string, cuts []Cut, blocks []Block, run func(f *stage, e *Engine, block int)) Module {
		for i := range blocks {
			blocks[i].Name = name
		}
		return Module{Name: name, Cuts: cuts, Blocks: blocks, New: func() Body { return &stage{name: name, say: say, run: run} }}
	}
	later := func(start func(f *stage, e *Engine)) func(f *stage, e *Engine, block int) {
		return func(f *stage, e *Engine, block int) {
			if block == 0 {
				start(f, e)
			}
		}
	}
	twoSteps := func() []Block { return []Block{{Starts: 1}, {Wait: 1}} }
	bus := module("event", nil, []Block{{}}, nil)
	bus.On, bus.Named = []EventKind{Published}, "topic"
	p := &Partition{Slots: []string{"s"}, Modules: []Module{
		module("fill", []Cut{{Kind: FillCut, Name: "x"}, {Kind: FillCut, Name: "y"}}, []Block{{Wait: 3}}, func(f *stage, e *Engine, _ int) { e.Publish(&f.Frame, "topic") }),
		bus,
		module("timer", []Cut{{Kind: TimerCut}}, twoSteps(), later(func(f *stage, e *Engine) { e.After(&f.Frame, 0, 2*second) })),
		module("deadline", []Cut{{Kind: FillCut, Name: "z", Within: 2 * second}}, []Block{{Wait: 1}}, nil),
		module("command", []Cut{{Kind: CommandCut}}, twoSteps(), later(func(f *stage, e *Engine) { e.Start(&f.Frame, 0) })),
		module("over", nil, []Block{{}}, nil),
	}, Edges: []Edge{
		{ID: 1, Type: 1, Name: "b.x", From: "b", Receives: true},
		{ID: 2, Type: 1, Name: "b.y", From: "b", Receives: true, Cut: 1},
	}}
	n := testNode(t, Config{Heartbeat: 1, Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}, {ID: testPeer(3), Class: "b", Rank: 1}}}, p)
	pollAll(n, 0)
	for _, id := range []byte{2, 3} {
		if err := n.Connected(0, testPeer(id), &wire.Hello{Protocol: wire.Protocol, Classes: []string{"b"}, Incarnation: 1}); err != nil {
			t.Fatal(err)
		}
	}
	send := func(seq uint64, edges ...wire.EdgeID) {
		e := wire.Envelope{Seq: seq, Exec: wire.ExecID{Origin: testPeer(2), Incarnation: 1, Number: 1}}
		for _, id := range edges {
			e.Fills = append(e.Fills, wire.SlotFill{Suffix: wire.AppendSite(nil, id), Type: 1})
		}
		n.Deliver(n.Now(), testPeer(2), wire.AppendEnvelope(nil, &e))
	}
	send(1, 1)
	for _, m := range []string{"timer", "deadline", "command"} {
		if _, err := n.Invoke(0, m); err != nil {
			t.Fatal(err)
		}
	}
	var command CommandID
	for o, ok := n.Poll(0); ok; o, ok = n.Poll(0) {
		if o.Kind == Run {
			command = o.Command
		}
	}
	for at := second / 10; at < second; at += second / 10 { // peer 3 is alive, and then is not
		n.Alive(at, testPeer(2))
		n.Alive(at, testPeer(3))
		pollAll(n, at)
	}
	n.Invoke(n.Now(), "over")
	n.cycle() // the frame ends, and is not free yet
	pop := func() (list []string) {
		for n.out.Len() > 0 {
			x := n.out.Pop()
			list = append(list, x.kind.String())
		}
		for n.reports.events.Len() > 0 {
			e := n.reports.events.Pop()
			list = append(list, e.Kind.String()+" "+e.Module+e.Name)
		}
		return list
	}
	pop()
	trace = nil

	n.advance(2 * second)
	n.Alive(2*second, testPeer(2))
	send(2, 1, 2)
	if err := n.Complete(2*second, command, nil); err != nil {
		t.Fatal(err)
	}
	n.Stop(2 * second)
	pop()
	n.cycle()
	if want := []string{"end of over", "fill of fill", "run of fill", "run of event", "run of timer", "run of command"}; !slices.Equal(trace, want) {
		t.Errorf("got  %q\nwant %q", trace, want)
	}
	want := []string{"send", // outputs of the last phase are taken first
		"published filltopic", "finished deadline", "peer down ", "finished event", "finished timer", "finished command", "phase stopped"}
	got := pop()
	got = slices.DeleteFunc(got, func(s string) bool { return s == "missing deadlinez" || s == "failed deadlinedeadline" })
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A message of a peer to itself that comes when the peer is stopping is left to its next incarnation.
func TestStopLeavesOwn(t *testing.T) {
	p := selfPartition(func(f *testBody, e *Engine) error {
		e.Send(&f.Frame, 0, []wire.PeerID{e.Self()}, []byte{1})
		e.node().Stop(0)
		return nil
	})
	n := testNode(t, Config{}, p)
	pollAll(n, 0)
	n.Invoke(0, "m")
	wantEvents(t, pollAll(n, 0), "phase stopping", "finished m", "refused", "phase stopped")
	b, err := n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err = Restore(n.config, p, b); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, pollAll(n, 0), "phase restored", "finished r")
	if s := n.Stats(); s.Outbound != 0 || s.Live != 0 {
		t.Errorf("got %+v", s)
	}
}

// TestOlderSnapshot: a node continues from a snapshot of the version before, which records no losses.
func TestOlderSnapshot(t *testing.T) {
	p := &Partition{Modules: []Module{testModule("m", nil, []Block{{}}, nothing)}}
	n := testNode(t, Config{}, p)
	pollAll(n, 0)
	b, err := n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	copy(b, snapshotMagic5)
	end := len(b) - 4
	b = binary.LittleEndian.AppendUint32(b[:end], wire.CRC(b[:end]))
	if n, err = Restore(n.config, p, b); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, pollAll(n, 0), "phase restored")
}
