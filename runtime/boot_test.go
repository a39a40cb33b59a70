package runtime

import (
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// bootPartition has two modules that run first, with an input, one that waits until they have ended, and one
// that runs at the start.
func bootPartition() *Partition {
	cuts := []Cut{{Kind: InputCut, Name: "x"}, {Kind: TimerCut, Name: "soon"}}
	boot := func(name string) Module {
		m := testModule(name, cuts, []Block{{Wait: 1, Starts: 2}, {Wait: 2}},
			func(f *testBody, n *Node) error { n.After(&f.Frame, 1, 10); return nil }, nothing)
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
		if got := n.Unbooted(); !slices.Equal(got, want) {
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
