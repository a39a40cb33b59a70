package sampling

import (
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The view of a peer is what its protocol knows: selections are from these peers only.
func TestView(t *testing.T) {
	w := newWorld(t, 12, 4)
	n, s := w.nodes[3], w.peers[3]
	v := &View{Shuffle: s}
	all, err := v.CurrentView(n)
	if want := []wire.PeerID{id(4), id(5), id(6), id(7)}; err != nil || !slices.Equal(all, want) {
		t.Fatalf("the view is %v (%v), want the next four", all, err)
	}
	if got, err := v.Select(n, "all", 1); err != nil || !slices.Equal(got, all) {
		t.Errorf("all are %v (%v), want %v", got, err, all)
	}
	for _, k := range []int{-1, 0, 2, 4, 9} {
		got, err := v.Sample(n, k)
		if err != nil || len(got) != min(max(k, 0), 4) {
			t.Errorf("%d of the view are %v (%v)", k, got, err)
		}
		for i, p := range got {
			if !slices.Contains(all, p) || slices.Contains(got[:i], p) {
				t.Errorf("%v is drawn twice, or not in the view", p)
			}
		}
	}
	key := id(6).Key()
	if got, err := v.SelectNear(n, tensor.DenseOf(key[:], len(key)), 1); err != nil || !slices.Equal(got, []wire.PeerID{id(6)}) {
		t.Errorf("near 6 are %v (%v), want 6", got, err)
	}
	if _, err := v.Select(n, "best", 1); err == nil || err.Error() != `select "best" peers, want random or all` {
		t.Errorf("%v, want that best is refused", err)
	}
}

// A peer that knows nobody sends nothing, and begins again when it knows somebody.
func TestAlone(t *testing.T) {
	n, err := runtime.New(runtime.Config{Self: id(0), Incarnation: 1}, &runtime.Partition{Class: "a"})
	if err != nil {
		t.Fatal(err)
	}
	s := &Shuffle{Class: "a"}
	to, m, err := s.Tick(n)
	if err != nil || to != nil || s.begun {
		t.Errorf("it sends %v to %v (%v), want nothing", m.Data, to, err)
	}
	for _, b := range [][]byte{{1}, {255, 255, 255, 255, 1}, append([]byte{1}, make([]byte, 7)...)} {
		x := tensor.DenseOf(b, len(b))
		if _, _, err := s.Receive(n, id(1), x); err == nil {
			t.Errorf("the message %v is taken", b)
		}
		if err := s.Answered(n, id(1), x); err == nil {
			t.Errorf("the answer %v is taken", b)
		}
	}
}

// Sizes that no view has are refused before the peer begins.
func TestOpen(t *testing.T) {
	for _, s := range []*Shuffle{{Size: -1}, {Size: 257}, {Swap: -1}, {Size: 3, Swap: 4}, {Swap: 21}} {
		if err := s.Open(runtime.Env{}); err == nil || !strings.HasPrefix(err.Error(), "sampling.Shuffle: Size is ") {
			t.Errorf("Size %d and Swap %d: %v, want that they are refused", s.Size, s.Swap, err)
		}
	}
	for _, s := range []*Shuffle{{}, {Size: 256}, {Size: 3, Swap: 3}} {
		if err := s.Open(runtime.Env{}); err != nil {
			t.Error(err)
		}
	}
}
