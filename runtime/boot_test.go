package runtime

import (
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// bootPartition has two modules that run first, with an input, one that waits until they have ended, and one
// that runs at the start.
func bootPartition() *Partition {
	cuts := []Cut{{Kind: InputCut, Name: "x"}, {Kind: TimerCut, Name: "soon"}}
	boot := func(name string) Module {
		m := testModule(name, cuts, []Block{{Wait: 1, Starts: 2}, {Wait: 2}},
			func(f *testBody, e *Engine) error { e.After(&f.Frame, 1, 10); return nil }, nothing)
		m.Bootstrap, m.Inputs = true, []int{0}
		return m
	}
	body := testModule("body", nil, []Block{{}}, nothing)
	body.Start = true
	return &Partition{Modules: []Module{boot("one"), boot("two"), body}}
}

// No module runs before the host has invoked the bootstrap modules and these have ended.
func TestBootInputs(t *testing.T) {
	n := testNode(t, Config{}, bootPartition())
	wantEvents(t, pollAll(n, 0), "phase bootstrap")
	if _, err := n.Invoke(0, "body"); !errors.Is(err, errNotRunning) {
		t.Errorf("body is invoked before the bootstrap: %v", err)
	}
	var waits []string
	n.Waits(func(w *Wait) bool { waits = append(waits, w.Text(5e9, nil)); return true })
	if want := []string{"input x of one, from the host, for 5s", "input x of two, from the host, for 5s"}; !slices.Equal(waits, want) {
		t.Errorf("it waits for %q, want %q", waits, want)
	}
	if _, err := n.Invoke(0, "two", tensor.Of([]float32{1})); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Invoke(0, "two", tensor.Of([]float32{1})); !errors.Is(err, errNotRunning) {
		t.Errorf("it is invoked again: %v", err)
	}
	wantEvents(t, pollAll(n, 0))
	wantEvents(t, pollAll(n, 10), "finished two")
	n.Invoke(10, "one", tensor.Of([]float32{1}))
	wantEvents(t, pollAll(n, 15))
	wantEvents(t, pollAll(n, 25), "finished one", "phase running", "finished body")
}

// A restored peer waits only for the bootstrap modules that have not been invoked.
func TestBootRestored(t *testing.T) {
	n := testNode(t, Config{}, bootPartition())
	pollAll(n, 0)
	restored := func(want ...string) {
		t.Helper()
		b, err := n.Snapshot(nil)
		if err != nil {
			t.Fatal(err)
		}
		p := bootPartition()
		p.Class = "self"
		if n, err = Restore(Config{Self: testPeer(1), Incarnation: n.config.Incarnation + 1}, p, b); err != nil {
			t.Fatal(err)
		}
		if got := n.NotBooted(); !slices.Equal(got, want) {
			t.Errorf("it waits for %v, want %v", got, want)
		}
	}
	restored("one", "two")
	n.Invoke(0, "two", tensor.Of([]float32{1}))
	pollAll(n, 0)
	restored("one") // it lives
	wantEvents(t, pollAll(n, 10), "finished two")
	restored("one") // it has ended
	n.Invoke(0, "one", tensor.Of([]float32{1}))
	wantEvents(t, pollAll(n, 0))
	wantEvents(t, pollAll(n, 10), "finished one", "phase running", "finished body")
	restored()
}

// rebootPair is a sender, and a receiver that has two bootstraps, of which the host gives one
// an input, and a clock. It has booted.
func rebootPair(t *testing.T) (a, b *Node, got *[][]byte) {
	t.Helper()
	a, _, _ = pairOf(t, func(f *testBody, e *Engine) error {
		e.Send(&f.Frame, 0, []wire.PeerID{testPeer(2)}, []byte{7})
		return nil
	})
	got = &[][]byte{}
	b, err := New(Config{Self: testPeer(2), Incarnation: 1, Peers: []PeerConfig{{ID: testPeer(1), Class: "self"}}}, rebootPartition(got))
	if err != nil {
		t.Fatal(err)
	}
	pollAll(b, 0)
	if _, err := b.Invoke(0, "one", tensor.Of([]float32{1})); err != nil {
		t.Fatal(err)
	}
	pollAll(b, 0)
	pollAll(b, 10)
	a.Disconnected(10, b.Self(), nil)
	pollAll(a, 10)
	connectPair(t, a, b)
	return a, b, got
}

func rebootPartition(got *[][]byte) *Partition {
	p := bootPartition()
	p.Class = "b"
	p.Modules = p.Modules[:2]
	p.Modules[1].Inputs, p.Modules[1].Cuts = nil, p.Modules[1].Cuts[1:]
	p.Modules[1].Blocks = []Block{{Name: "b0", Starts: 1}, {Name: "b1", Wait: 1}}
	p.Modules[1].New = func() Body {
		return &testBody{blocks: []blockFunc{func(f *testBody, e *Engine) error { e.After(&f.Frame, 0, 10); return nil }, nothing}}
	}
	p.Edges = []Edge{{ID: bulkEdge, Type: bulkType, Name: "x", Receives: true, Module: 2}}
	p.Modules = append(p.Modules, Module{Name: "receive", Cuts: []Cut{{Kind: FillCut, Name: "x"}}, Blocks: []Block{{Name: "b0", Wait: 1}},
		New: func() Body { return &sink{testBody{blocks: []blockFunc{nothing}}, got} }})
	tick := testModule("tick", nil, []Block{{}}, nothing)
	tick.Every = 4
	work := testModule("work", nil, []Block{{}}, nothing)
	p.Modules = append(p.Modules, tick, work)
	return p
}

// A bootstrap that the host begins again, one of two, runs alone: what comes waits, clocks
// pass, and the host is refused, until it has ended.
func TestBootAgain(t *testing.T) {
	a, b, got := rebootPair(t)
	if want := []string{"one", "two"}; !slices.Equal(b.Bootstraps(), want) {
		t.Errorf("the bootstraps are %v, want %v", b.Bootstraps(), want)
	}
	if _, err := b.Invoke(11, "two"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Invoke(11, "work"); !errors.Is(err, errNotRunning) {
		t.Errorf("another module is invoked meanwhile: %v", err)
	}
	if _, err := a.Invoke(11, "send"); err != nil {
		t.Fatal(err)
	}
	deliverAll(t, b, a.Self(), sendAll(a))
	wantEvents(t, pollAll(b, 15))
	if len(*got) != 0 {
		t.Error("what a peer sends is taken meanwhile")
	}
	restored := again(t, b, got)
	wantEvents(t, pollAll(b, 21), "finished two", "send")
	if len(*got) != 1 {
		t.Errorf("%d values have come, want 1", len(*got))
	}
	if _, err := b.Invoke(21, "work"); err != nil {
		t.Error(err)
	}
	if _, err := restored.Invoke(0, "work"); !errors.Is(err, errNotRunning) {
		t.Errorf("a peer that goes on from its snapshot has forgotten that a bootstrap runs: %v", err)
	}
	pollAll(restored, 0)
	pollAll(restored, 30)
	if _, err := restored.Invoke(30, "work"); err != nil {
		t.Error(err)
	}
}

// again is a node that goes on from a snapshot.
func again(t *testing.T, b *Node, got *[][]byte) *Node {
	t.Helper()
	snapshot, err := b.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Restore(Config{Self: testPeer(2), Incarnation: b.config.Incarnation + 1, Peers: []PeerConfig{{ID: testPeer(1), Class: "self"}}}, rebootPartition(got), snapshot)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Several bootstraps may run again at the same time.
func TestBootAgainBoth(t *testing.T) {
	_, b, _ := rebootPair(t)
	b.Invoke(12, "two")
	b.Invoke(14, "one", tensor.Of([]float32{1}))
	pollAll(b, 14)
	pollAll(b, 22)
	if _, err := b.Invoke(22, "work"); !errors.Is(err, errNotRunning) {
		t.Errorf("the second has not ended: %v", err)
	}
	pollAll(b, 24)
	if _, err := b.Invoke(24, "work"); err != nil {
		t.Error(err)
	}
}
