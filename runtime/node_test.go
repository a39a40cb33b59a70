package runtime

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/random"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// testBody is a frame whose blocks are functions, for features that the transcripts' programs lack.
type testBody struct {
	Frame
	blocks []func(f *testBody, n *Engine) error
	fill   error // the result of Fill
}

func (f *testBody) Run(e *Engine, b int) error            { return f.blocks[b](f, e) }
func (f *testBody) Fill(int, *wire.SlotFill) error        { return f.fill }
func (f *testBody) Input(int, tensor.Value) error         { return nil }
func (f *testBody) Task(int) Task                         { return f }
func (f *testBody) Do() error                             { return nil }
func (f *testBody) Clear()                                {}
func (f *testBody) AppendBinary(b []byte) ([]byte, error) { return b, nil }
func (f *testBody) UnmarshalBinary([]byte) error          { return nil }

type blockFunc = func(f *testBody, n *Engine) error

// testModule returns a module of such blocks.
func testModule(name string, cuts []Cut, blocks []Block, run ...blockFunc) Module {
	for i := range blocks {
		blocks[i].Name = fmt.Sprintf("b%d", i)
	}
	return Module{Name: name, Cuts: cuts, Blocks: blocks, New: func() Body { return &testBody{blocks: run} }}
}

func nothing(*testBody, *Engine) error { return nil }

func testPeer(i byte) wire.PeerID {
	key := [32]byte{0: i, 31: 1}
	id, _ := wire.PeerIDOf(key[:])
	return id
}

func testNode(t testing.TB, c Config, p *Partition) *Node {
	t.Helper()
	c.Self, c.Incarnation = testPeer(1), 1
	p.Class = "self"
	n, err := New(c, p)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// pollAll takes all outputs and returns the events, one per line.
func pollAll(n *Node, now int64) []string {
	var list []string
	for {
		o, ok := n.Poll(now)
		if !ok {
			return list
		}
		if o.Kind == Tell {
			e := o.Event
			list = append(list, strings.TrimSpace(fmt.Sprint(e.Kind, " ", e.Module, e.Name)))
		} else {
			list = append(list, o.Kind.String())
		}
	}
}

func wantEvents(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

var started2 = []string{"phase bootstrap", "phase running"}

// A block that waits for a value or a timer runs when the first of them comes, once.
func TestAny(t *testing.T) {
	p := &Partition{Modules: []Module{testModule("m",
		[]Cut{{Kind: TimerCut, Name: "soon"}, {Kind: TimerCut, Name: "later"}},
		[]Block{{Starts: 3}, {Wait: 3, Any: true}},
		func(f *testBody, e *Engine) error {
			e.After(&f.Frame, 0, 10)
			e.After(&f.Frame, 1, 20)
			return nil
		},
		func(f *testBody, e *Engine) error {
			e.Publish(&f.Frame, fmt.Sprint(f.Ready(0), f.Ready(1)))
			return nil
		})}}
	n := testNode(t, Config{}, p)
	wantEvents(t, pollAll(n, 0), started2...)
	if _, err := n.Invoke(0, "m"); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, pollAll(n, 0))
	wantEvents(t, pollAll(n, 9))
	if at, ok := n.WakeAt(); !ok || at != 10 {
		t.Errorf("WakeAt is %d, %v", at, ok)
	}
	wantEvents(t, pollAll(n, 10), "published mtrue false", "finished m")
	wantEvents(t, pollAll(n, 20))
	if s := n.Stats(); s.Live != 0 {
		t.Errorf("%d frames are left", s.Live)
	}
}

// A failed block poisons only the blocks that depend on it.
func TestPoison(t *testing.T) {
	p := &Partition{Modules: []Module{testModule("m",
		[]Cut{{Kind: TimerCut, Name: "a"}, {Kind: TimerCut, Name: "b"}, {Kind: TimerCut, Name: "c"}},
		[]Block{{Starts: 1}, {Wait: 1, Starts: 2}, {Wait: 2}, {Starts: 4}, {Wait: 4}, {Wait: 6, Any: true}},
		func(*testBody, *Engine) error { panic(errors.New("kernel: no")) }, nothing, nothing,
		func(f *testBody, e *Engine) error { e.After(&f.Frame, 2, 5); return nil }, nothing, nothing)}}
	n := testNode(t, Config{}, p)
	pollAll(n, 0)
	n.Invoke(0, "m")
	wantEvents(t, pollAll(n, 0), "failed mb0", "failed mb1", "failed mb2")
	wantEvents(t, pollAll(n, 5), "finished m")
}

// A failed block poisons the blocks that read its values, even if all cut points of these come.
func TestPoisonOfValues(t *testing.T) {
	p := &Partition{Modules: []Module{testModule("m",
		[]Cut{{Kind: TimerCut, Name: "a"}},
		[]Block{{Starts: 1}, {}, {Wait: 1, Needs: []int{1}}, {Wait: 1}},
		func(f *testBody, e *Engine) error { e.After(&f.Frame, 0, 5); return nil },
		func(*testBody, *Engine) error { return errors.New("no value") },
		func(f *testBody, e *Engine) error { e.Publish(&f.Frame, "value"); return nil },
		func(f *testBody, e *Engine) error { e.Publish(&f.Frame, "other"); return nil })}}
	n := testNode(t, Config{}, p)
	pollAll(n, 0)
	n.Invoke(0, "m")
	wantEvents(t, pollAll(n, 0), "failed mb1", "failed mb2")
	wantEvents(t, pollAll(n, 5), "published mother", "finished m")
}

// A block that panics with any value fails without affecting others.
func TestPanics(t *testing.T) {
	p := &Partition{Modules: []Module{testModule("m", nil, []Block{{}}, func(f *testBody, e *Engine) error {
		return f.blocks[len(f.blocks)](f, e)
	})}}
	n := testNode(t, Config{}, p)
	pollAll(n, 0)
	n.Invoke(0, "m")
	wantEvents(t, pollAll(n, 0), "failed mb0", "finished m")
}

// Modules may begin by timers and by events. Modules that run at the start run before both.
func TestBeginnings(t *testing.T) {
	every := testModule("every", nil, []Block{{}}, func(f *testBody, e *Engine) error { e.Publish(&f.Frame, "tock"); return nil })
	every.Every = 100
	on := testModule("on", nil, []Block{{}}, func(f *testBody, e *Engine) error {
		if f.Cause().Module != "every" {
			return errors.New("another cause")
		}
		e.Emit(&f.Frame, f.Cause().Name, nil)
		return nil
	})
	on.On = []EventKind{Published}
	boot := testModule("boot", []Cut{{Kind: TimerCut}}, []Block{{Starts: 1}, {Wait: 1}},
		func(f *testBody, e *Engine) error { e.After(&f.Frame, 0, 50); return nil }, nothing)
	boot.Bootstrap = true
	n := testNode(t, Config{}, &Partition{Modules: []Module{every, on, boot}})
	wantEvents(t, pollAll(n, 0), "phase bootstrap")
	if _, err := n.Invoke(0, "every"); !errors.Is(err, errNotRunning) {
		t.Errorf("invoked at the start: %v", err)
	}
	wantEvents(t, pollAll(n, 50), "finished boot", "phase running")
	wantEvents(t, pollAll(n, 150), "published everytock", "finished every", "emitted ontock", "finished on")
}

// selfPartition sends to itself.
func selfPartition(run blockFunc) *Partition {
	return &Partition{
		Edges:   []Edge{{ID: 7, Type: 9, Name: "m.x", From: "self", Receives: true, Module: 1, Cut: 0}},
		Modules: []Module{testModule("m", nil, []Block{{}}, run), testModule("r", []Cut{{Kind: FillCut}}, []Block{{Wait: 1}}, nothing)},
	}
}

// Messages of a peer to itself are treated like all others.
func TestSendToSelf(t *testing.T) {
	n := testNode(t, Config{}, selfPartition(func(f *testBody, e *Engine) error {
		e.Send(&f.Frame, 0, []wire.PeerID{e.Self()}, []byte{1})
		return nil
	}))
	pollAll(n, 0)
	n.Invoke(0, "m")
	wantEvents(t, pollAll(n, 0), "finished m", "finished r")
	if s := n.Stats(); s.Fills != 1 || s.Outbound != 0 || s.Live != 0 {
		t.Errorf("got %+v", s)
	}
}

// All values that one block sends to a peer are in one envelope. A failed block sends nothing.
func TestBatch(t *testing.T) {
	fail := false
	p := selfPartition(func(f *testBody, e *Engine) error {
		to := []wire.PeerID{testPeer(2), testPeer(3)}
		e.Send(&f.Frame, 0, to, []byte{1})
		e.Send(&f.Frame, 0, to[:1], []byte{2}, 5)
		if fail {
			return errors.New("no")
		}
		return nil
	})
	n := testNode(t, Config{Peers: []PeerConfig{{ID: testPeer(2), Class: "x"}, {ID: testPeer(3), Class: "x", Rank: 1}}}, p)
	for _, i := range []byte{2, 3} {
		if err := n.Connected(0, testPeer(i), &wire.Hello{Protocol: 1, Classes: []string{"x"}, Incarnation: 1}); err != nil {
			t.Fatal(err)
		}
	}
	pollAll(n, 0)
	n.Invoke(0, "m")
	var fills []int
	for {
		o, ok := n.Poll(0)
		if !ok {
			break
		}
		if o.Kind == Send {
			fills = append(fills, len(o.Envelope.Fills))
		}
	}
	if !slices.Equal(fills, []int{2, 1}) {
		t.Errorf("envelopes of %v fills", fills)
	}
	fail = true
	n.Invoke(0, "m")
	wantEvents(t, pollAll(n, 0), "failed mb0", "finished m")
}

// Poll yields when its budget is used up.
func TestBudget(t *testing.T) {
	lim := limits.Default()
	lim.Ops = 3
	n := testNode(t, Config{Limits: lim}, &Partition{Modules: []Module{testModule("m", nil, []Block{{Ops: 2}}, nothing)}})
	pollAll(n, 0)
	for range 4 {
		n.Invoke(0, "m")
	}
	wantEvents(t, pollAll(n, 0), "finished m", "finished m", "yield", "finished m", "finished m")
	lim.Ops = 1
	n = testNode(t, Config{Limits: lim}, &Partition{Modules: []Module{testModule("m", nil, []Block{{Ops: 2}}, nothing)}})
	pollAll(n, 0)
	n.Invoke(0, "m")
	n.Invoke(0, "m")
	wantEvents(t, pollAll(n, 0), "finished m", "yield", "finished m")
}

// Tables are limited, and report when they are full.
func TestOverflows(t *testing.T) {
	lim := limits.Default()
	lim.Executions, lim.Timers, lim.Commands, lim.Ingress, lim.Peers, lim.Outbound = 3, 1, 1, 1, 1, 1
	p := &Partition{Slots: []string{"s"},
		Edges: []Edge{{ID: 1, Type: 1}},
		Modules: []Module{
			testModule("wait", []Cut{{Kind: TimerCut, Name: "t"}}, []Block{{Starts: 1}, {Wait: 1}},
				func(f *testBody, e *Engine) error { e.After(&f.Frame, 0, 10); return nil }, nothing),
			testModule("command", []Cut{{Kind: CommandCut, Name: "c"}, {Kind: CommandCut, Name: "d"}}, []Block{{Starts: 3}, {Wait: 1}, {Wait: 2}},
				func(f *testBody, e *Engine) error { e.Start(&f.Frame, 0); e.Start(&f.Frame, 1); return nil }, nothing, nothing),
			testModule("send", nil, []Block{{}}, func(f *testBody, e *Engine) error {
				e.Send(&f.Frame, 0, []wire.PeerID{testPeer(2)}, nil)
				return nil
			}),
		}}
	n := testNode(t, Config{Limits: lim, Peers: []PeerConfig{{ID: testPeer(2)}}}, p)
	pollAll(n, 0)
	if err := n.Allow(PeerConfig{ID: testPeer(3)}); err == nil {
		t.Error("another peer is allowed")
	}
	n.Invoke(0, "send")
	n.Invoke(0, "send")
	wantEvents(t, pollAll(n, 0), "dial", "finished send", "overflow outbound", "refused", "finished send")
	n.Invoke(0, "wait")
	n.Invoke(0, "wait")
	wantEvents(t, pollAll(n, 0), "overflow timers", "failed waitb1", "finished wait")
	n.Invoke(0, "command")
	wantEvents(t, pollAll(n, 0), "run", "overflow commands", "failed commandb2")
	n.Invoke(0, "wait")
	if _, err := n.Invoke(0, "wait"); !errors.Is(err, ErrOverflow) {
		t.Errorf("one execution too many: %v", err)
	}
	if err := n.Deliver(0, testPeer(2), []byte{1}); err != nil {
		t.Error(err)
	}
	if err := n.Deliver(0, testPeer(2), []byte{1}); !errors.Is(err, ErrIngressFull) {
		t.Errorf("one envelope too many: %v", err)
	}
	var tooLong *wire.LimitError
	if err := n.Deliver(0, testPeer(2), make([]byte, lim.Wire.Envelope+1)); !errors.As(err, &tooLong) {
		t.Errorf("too long an envelope: %v", err)
	}
}

// A command completes once. The frame of an ended execution is kept until its command has completed.
func TestCommands(t *testing.T) {
	var id CommandID
	p := &Partition{Slots: []string{"s"}, Modules: []Module{
		testModule("m", []Cut{{Kind: CommandCut, Name: "c"}, {Kind: TimerCut}}, []Block{{Starts: 3}, {Wait: 3, Any: true}},
			func(f *testBody, e *Engine) error { e.Start(&f.Frame, 0); e.After(&f.Frame, 1, 5); return nil }, nothing)}}
	n := testNode(t, Config{}, p)
	pollAll(n, 0)
	n.Invoke(0, "m")
	for {
		o, ok := n.Poll(0)
		if !ok {
			break
		}
		if o.Kind == Run {
			id = o.Command
		}
	}
	wantEvents(t, pollAll(n, 5), "finished m")
	pollAll(n, 6)
	if s := n.Stats(); s.Live != 1 || s.Abandoned != 1 {
		t.Errorf("while the command runs: %+v", s)
	}
	if err := n.Complete(6, id, nil); err != nil {
		t.Error(err)
	}
	wantEvents(t, pollAll(n, 6))
	if s := n.Stats(); s.Live != 0 {
		t.Errorf("afterwards: %+v", s)
	}
	if err := n.Complete(6, id, nil); !errors.Is(err, ErrNoCommand) {
		t.Errorf("completed twice: %v", err)
	}
	if err := n.Complete(6, 1<<40, nil); !errors.Is(err, ErrNoCommand) {
		t.Errorf("completed what never was: %v", err)
	}
}

// TestHello checks which Hellos a node accepts, and the reasons for which it refuses others.
func TestHello(t *testing.T) {
	n := testNode(t, Config{Peers: []PeerConfig{{ID: testPeer(2), Class: "client"}}}, &Partition{Fingerprint: []byte{1}})
	good := wire.Hello{Protocol: wire.Protocol, Fingerprint: []byte{1}, Classes: []string{"client"}, Incarnation: 5}
	with := func(f func(h *wire.Hello)) *wire.Hello { h := good; f(&h); return &h }
	for _, tt := range []struct {
		h    *wire.Hello
		want string
	}{
		{with(func(h *wire.Hello) { h.Protocol = 2 }), "another protocol: its version is 2, this peer's 1: bring both to one version of bbgen"},
		{with(func(h *wire.Hello) { h.Fingerprint = nil }), "another program: it runs , this is 01: build both from one program, or start the newer with -accept"},
		{with(func(h *wire.Hello) { h.Classes = []string{"server"} }), `it claims ["server"], is admitted as "client": invite it as what it is`},
		{with(func(h *wire.Hello) { h.Incarnation = 0 }), "an incarnation that is over: it has none"},
		{&good, ""},
		{with(func(h *wire.Hello) { h.Incarnation = 4 }), "an incarnation that is over: 4, seen 5: another process has its key, or its clock went back"},
	} {
		err := n.Connected(0, testPeer(2), tt.h)
		if got := fmt.Sprint(err); tt.want == "" && err != nil || !strings.HasSuffix(got, tt.want) && tt.want != "" {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	n.config.Accept = []byte{2}
	if err := n.Connected(0, testPeer(2), with(func(h *wire.Hello) { h.Fingerprint = []byte{2} })); err != nil {
		t.Errorf("the program before: %v", err)
	}
	if err := n.Connected(0, testPeer(9), &good); !errors.Is(err, ErrUnknownPeer) {
		t.Errorf("a stranger: %v", err)
	}
	n.Block(testPeer(2))
	if err := n.Connected(0, testPeer(2), &good); !errors.Is(err, ErrBlocked) {
		t.Errorf("a blocked peer: %v", err)
	}
}

// The origin in an envelope must be consistent with the peer that the channel has authenticated.
func TestForged(t *testing.T) {
	other := wire.Address("/ip4/192.0.2.1/tcp/1/p2p/" + testPeer(3).String())
	for _, e := range []wire.Envelope{{Seq: 1, Src: testPeer(3)}, {Seq: 1, SrcAddrs: []wire.Address{other}}} {
		n := testNode(t, Config{Peers: []PeerConfig{{ID: testPeer(2), Class: "client"}}}, &Partition{})
		if err := n.Connected(0, testPeer(2), &wire.Hello{Protocol: wire.Protocol, Classes: []string{"client"}, Incarnation: 1}); err != nil {
			t.Fatal(err)
		}
		if err := n.Deliver(1, testPeer(2), wire.AppendEnvelope(nil, &e)); err != nil {
			t.Fatal(err)
		}
		refused := false
		for o, ok := n.Poll(1); ok; o, ok = n.Poll(1) {
			refused = refused || o.Kind == Tell && o.Event.Kind == Refused && errors.Is(o.Event.Err, ErrForged)
		}
		if !refused {
			t.Errorf("%+v is taken", e)
		}
	}
}

// TestSeedOf checks that peers of different classes and ranks have different seeds.
func TestSeedOf(t *testing.T) {
	seen := map[uint64]string{}
	for _, class := range []string{"", "a", "b", "ab", "ba"} {
		for rank := range 100 {
			s := random.SeedOf(7, class, rank)
			if other, ok := seen[s]; ok {
				t.Errorf("%s %d has the seed of %s", class, rank, other)
			}
			seen[s] = fmt.Sprint(class, rank)
		}
	}
	if got := random.SeedOf(7, "client", 3); got != random.SeedOf(7, "client", 3) || got == random.SeedOf(8, "client", 3) {
		t.Error("not a function of its arguments")
	}
}

// Only one snapshot is taken at a time: otherwise the host could store the older one last.
func TestOneCheckpoint(t *testing.T) {
	n := testNode(t, Config{Durable: true}, &Partition{})
	count := func() (k int) {
		for o, ok := n.Poll(0); ok; o, ok = n.Poll(0) {
			if o.Kind == Checkpoint {
				k++
				if _, err := n.Snapshot(nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		return k
	}
	n.RequestCheckpoint()
	if k := count(); k != 1 {
		t.Fatalf("%d snapshots are wanted, want 1", k)
	}
	n.RequestCheckpoint()
	if k := count(); k != 0 {
		t.Errorf("%d snapshots are wanted before the first is safe", k)
	}
	n.Persisted(0)
	if k := count(); k != 1 {
		t.Errorf("%d snapshots are wanted, want the one that was put off", k)
	}
}

// A peer that has sent much and now computes is considered alive as long as it answers pings. A peer that does
// not is considered dead.
func TestBusyPeer(t *testing.T) {
	n := testNode(t, Config{Heartbeat: 1e9, Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}}}, &Partition{})
	pollAll(n, 0)
	if err := n.Connected(0, testPeer(2), &wire.Hello{Protocol: wire.Protocol, Classes: []string{"b"}, Incarnation: 1}); err != nil {
		t.Fatal(err)
	}
	now := int64(0)
	for range 1000 { // a burst
		now += 1e6
		n.Alive(now, testPeer(2))
		pollAll(n, now)
	}
	for i := range 100 { // only pings, a bit early or late
		for range 10 {
			now += 100e6
			wantEvents(t, pollAll(n, now))
		}
		now += int64(i%3) * 20e6
		n.Alive(now, testPeer(2))
	}
	var seen []string
	for range 50 {
		now += 100e6
		seen = append(seen, pollAll(n, now)...)
	}
	wantEvents(t, seen, "peer suspect", "peer down")
}

// A peer that never answers, such as a process that freezes right after its Hello, is considered dead, but not as soon
// as one that used to answer.
func TestPeerThatNeverAnswers(t *testing.T) {
	const second = 1e9
	n := testNode(t, Config{Heartbeat: second, Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}}}, &Partition{})
	pollAll(n, 0)
	if err := n.Connected(0, testPeer(2), &wire.Hello{Protocol: wire.Protocol, Classes: []string{"b"}, Incarnation: 1}); err != nil {
		t.Fatal(err)
	}
	now := int64(0)
	silence := func(d int64) (seen []string) {
		for end := now + d; now < end; now += second / 10 {
			seen = append(seen, pollAll(n, now)...)
		}
		return seen
	}
	wantEvents(t, silence(10*second), "peer up")
	wantEvents(t, silence(10*second), "peer suspect", "peer down")
	n.Alive(now, testPeer(2))
	wantEvents(t, silence(second), "peer up")
}

// A peer that is pinged less often may be silent for longer.
func TestSetHeartbeat(t *testing.T) {
	const second = 1e9
	n := testNode(t, Config{Heartbeat: second, Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}}}, &Partition{})
	pollAll(n, 0)
	if err := n.Connected(0, testPeer(2), &wire.Hello{Protocol: wire.Protocol, Classes: []string{"b"}, Incarnation: 1}); err != nil {
		t.Fatal(err)
	}
	pollAll(n, 0)
	now := int64(0)
	silence := func(d int64) (seen []string) {
		for end := now + d; now < end; now += second / 10 {
			seen = append(seen, pollAll(n, now)...)
		}
		return seen
	}
	for range 10 { // each second, up to now
		now += second
		n.Alive(now, testPeer(2))
		wantEvents(t, pollAll(n, now))
	}
	n.SetHeartbeat(testPeer(2), 10*second)
	n.SetHeartbeat(testPeer(3), second) // which is unknown
	wantEvents(t, silence(15*second))
	wantEvents(t, silence(15*second), "peer suspect", "peer down")
	n.SetHeartbeat(testPeer(2), 0)
	n.Alive(now, testPeer(2))
	wantEvents(t, silence(100*second), "peer up", "peer suspect", "peer down")
}

// Peers that are connected are counted by class, however many come and go at a time.
func TestCountConnected(t *testing.T) {
	const peers = 3000 // more than there may be events
	n := testNode(t, Config{}, &Partition{})
	pollAll(n, 0)
	want := func(class string, k int) {
		t.Helper()
		if got := n.CountConnected(class); got != k {
			t.Errorf("%d of class %q are connected, want %d", got, class, k)
		}
	}
	id := func(i int) wire.PeerID {
		p, _ := wire.PeerIDOf(binary.BigEndian.AppendUint32(make([]byte, 28), uint32(i+1)))
		return p
	}
	for i := range peers {
		class := classes.Join("b", []string{"c", "d"}[i%2])
		if err := n.Allow(PeerConfig{ID: id(i), Class: class}); err != nil {
			t.Fatal(err)
		}
		if err := n.Connected(0, id(i), &wire.Hello{Protocol: wire.Protocol, Classes: classes.Split(class), Incarnation: 1}); err != nil {
			t.Fatal(err)
		}
	}
	want("b", peers)
	want("d", peers/2)
	if !n.IsUp(id(1)) || n.IsUp(id(peers)) {
		t.Errorf("up are %v and %v, want the first", n.IsUp(id(1)), n.IsUp(id(peers)))
	}
	n.Disconnected(0, id(1), nil)
	n.Block(id(3))
	want("d", peers/2-2)
	if n.IsUp(id(1)) || n.IsUp(id(3)) {
		t.Error("a peer is up that has gone or is blocked")
	}
	if err := n.Allow(PeerConfig{ID: id(3), Class: "c"}); err != nil { // it is still connected
		t.Fatal(err)
	}
	want("b", peers-2)
	want("c", peers/2+1)
	n.Disconnected(0, id(3), nil)
	want("c", peers/2)
	want("e", 0)
}

// A node with peers that answer regularly has nothing to do before one could be silent for longer than usual.
func TestIdlePeers(t *testing.T) {
	const second = 1e9
	n := testNode(t, Config{Heartbeat: second, Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}}}, &Partition{})
	pollAll(n, 0)
	if err := n.Connected(0, testPeer(2), &wire.Hello{Protocol: wire.Protocol, Classes: []string{"b"}, Incarnation: 1}); err != nil {
		t.Fatal(err)
	}
	pollAll(n, 0)
	woken := 0
	for i := range int64(10) {
		n.Alive(i*second, testPeer(2))
		for at, ok := n.WakeAt(); ok && at < (i+1)*second; at, ok = n.WakeAt() {
			pollAll(n, max(at, i*second))
			woken++
		}
	}
	if woken > 11 {
		t.Errorf("it is woken %d times in 10 intervals", woken)
	}
}

// Peers of a class are chosen in turn by rank, whichever peer asks: each execution of an origin gets the next
// one.
func TestPeerInTurn(t *testing.T) {
	class := []PeerConfig{{ID: testPeer(7), Class: "stage", Rank: 2}, {ID: testPeer(8), Class: "stage", Rank: 0}, {ID: testPeer(9), Class: "stage", Rank: 1}}
	origin := PeerConfig{ID: testPeer(2), Class: "front", Rank: 1}
	for _, n := range []*Node{
		testNode(t, Config{Peers: append(class, origin)}, &Partition{}),
		testNode(t, Config{Peers: append([]PeerConfig{origin, class[2], class[1]}, class[0])}, &Partition{}),
	} {
		var got []int
		for number := range uint64(6) {
			f := &Frame{execution: execution{exec: wire.ExecID{Origin: origin.ID, Incarnation: 1, Number: number + 1}}}
			to := n.engine().PeerInTurn(nil, f, "stage")
			if len(to) != 1 {
				t.Fatalf("execution %d goes to %v, want one peer", number, to)
			}
			_, rank, _ := n.ClassOf(to[0])
			got = append(got, rank)
		}
		if want := []int{2, 0, 1, 2, 0, 1}; !slices.Equal(got, want) {
			t.Errorf("executions go to ranks %v, want %v", got, want)
		}
		if to := n.engine().PeerInTurn(nil, &Frame{}, "nobody"); len(to) != 0 {
			t.Errorf("nobody's turn is that of %v", to)
		}
	}
}

// A peer that is restored from a snapshot taken while it was stopping has its timers.
func TestClocksAfterStopping(t *testing.T) {
	const second = int64(1e9)
	clock := run("clock", nothing)
	clock.Every = second
	p := &Partition{Modules: []Module{clock}}
	n := testNode(t, Config{}, p)
	pollAll(n, 0)
	n.Stop(0)
	wantEvents(t, pollAll(n, 2*second), "phase stopping", "phase stopped")
	b, err := n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err = Restore(n.config, p, b); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, pollAll(n, second), "phase restored", "finished clock")
}

// A notice that the host has not got before the snapshot comes after the restart, with its value.
func TestNoticeSurvivesRestart(t *testing.T) {
	x := tensor.Of([]float64{1, 2}, 2)
	say := run("say", func(f *testBody, e *Engine) error { return e.Peer().Notify("seen", x) })
	p := &Partition{Modules: []Module{say}}
	n := testNode(t, Config{Durable: true}, p)
	pollAll(n, 0)
	if _, err := n.Invoke(0, "say"); err != nil {
		t.Fatal(err)
	}
	pollAll(n, 0)
	b, err := n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err = Restore(n.config, p, b); err != nil {
		t.Fatal(err)
	}
	for o, ok := n.Poll(0); ok; o, ok = n.Poll(0) {
		if o.Kind == Tell && o.Event.Name == "seen" && tensor.Equal(o.Event.Value.(*tensor.Tensor), x) {
			return
		}
	}
	t.Error("the notice is lost")
}

// Results of executions are told, however many other events there are.
func TestEventsLeaveResults(t *testing.T) {
	tell := run("tell", func(f *testBody, e *Engine) error { e.Publish(&f.Frame, "a"); return nil })
	limits := limits.Default()
	limits.Events = 2
	n := testNode(t, Config{Durable: true, Limits: limits, Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}}}, &Partition{Modules: []Module{tell}})
	pollAll(n, 0)
	if _, err := n.Invoke(0, "tell"); err != nil {
		t.Fatal(err)
	}
	pollAll(n, 0)
	if _, err := n.Snapshot(nil); err != nil {
		t.Fatal(err)
	}
	n.Persisted(0)
	for range 3 {
		n.overflow("table")
	}
	wantEvents(t, pollAll(n, 0), "published tella", "finished tell")
}

// TestInputNames: a host learns what a module takes, or which modules there are.
func TestInputNames(t *testing.T) {
	n := &Node{modules: []module{
		{Module: &Module{Name: "start", Start: true}},
		{Module: &Module{Name: "train", Cuts: []Cut{{Name: "loss"}, {Name: "x"}, {Name: "y"}}, Inputs: []int{2, 1}, Answers: []int{3}}},
		{Module: &Module{Name: "boot", Bootstrap: true}},
		{Module: &Module{Name: "answer", Child: true, Inputs: []int{0}, Cuts: []Cut{{Name: "z"}}}},
	}}
	for module, want := range map[string]string{
		"train":  "y, x",
		"boot":   "",
		"start":  "invoke start: there is no such module; there are: train with y, x",
		"answer": "invoke answer: there is no such module; there are: train with y, x",
	} {
		names, err := n.InputNames(module)
		got := strings.Join(names, ", ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", module, got, want)
		}
	}
	if got := n.Answers("train"); !slices.Equal(got, []string{"train", "answer"}) {
		t.Errorf("an execution of train ends in %v", got)
	}
	n.modules = n.modules[:1]
	if _, err := n.InputNames("start"); err == nil || err.Error() != "invoke start: no module of this peer has an input from its host" {
		t.Errorf("got %v", err)
	}
}

// TestSecret: without randomness, or with too little of it, there is no secret.
func TestSecret(t *testing.T) {
	for _, c := range []struct {
		env  Env
		want string
	}{
		{Env{}, "set Random in the runtime.Env"},
		{Env{Random: strings.NewReader("short")}, "randomness of the host: unexpected EOF"},
	} {
		if secret, err := c.env.Secret(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %x, %v, want %s", secret, err, c.want)
		}
	}
	all := Env{Random: strings.NewReader(strings.Repeat("x", 33))}
	if secret, err := all.Secret(); err != nil || string(secret[:]) != strings.Repeat("x", 32) {
		t.Errorf("got %q, %v", secret, err)
	}
}

// TestDone: a command may always ask for the context of the peer.
func TestDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	none, ended := Env{}, Env{Context: ctx}
	if none.Done().Err() != nil || ended.Done().Err() == nil {
		t.Error("the context is another one")
	}
}
