package runtime

import (
	"slices"
	"testing"
)

// A peer of two classes draws the random numbers that two peers would draw, and after
// a restart those that come next.
func TestSources(t *testing.T) {
	part := func(class string, drawn *[]uint64) *Partition {
		m := testModule(class, nil, []Block{{}}, func(f *testBody, n *Node) error {
			*drawn = append(*drawn, n.Rand().Uint64())
			return nil
		})
		return &Partition{Class: class, Modules: []Module{m}}
	}
	play := func(n *Node, modules ...string) {
		t.Helper()
		pollAll(n, 0)
		for _, m := range modules {
			if _, err := n.Invoke(0, m); err != nil {
				t.Fatal(err)
			}
			pollAll(n, 0)
		}
	}
	c := Config{Self: testPeer(1), Incarnation: 1, Seed: 7, Rank: 2}
	node := func(p *Partition) *Node {
		n, err := New(c, p)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var a, b, joinedA, joinedB []uint64
	play(node(part("a", &a)), "a", "a", "a")
	play(node(part("b", &b)), "b", "b")
	joined := func() *Partition {
		p, err := Join(part("a", &joinedA), part("b", &joinedB))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	n := node(joined())
	play(n, "a", "b", "a")
	snapshot, err := n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err = Restore(c, joined(), snapshot); err != nil {
		t.Fatal(err)
	}
	play(n, "b", "a")
	if !slices.Equal(joinedA, a) || !slices.Equal(joinedB, b) || slices.Equal(a[:2], b) {
		t.Errorf("joined: %d and %d, want %d and %d", joinedA, joinedB, a, b)
	}
}
