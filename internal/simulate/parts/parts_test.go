package parts

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestEntry: values are refused before the bootstrap, and tell how often it has run, after a restart, too.
func TestEntry(t *testing.T) {
	var e Entry
	if _, err := e.Mix(vec(1, 2)); err == nil {
		t.Error("values are mixed before the bootstrap")
	}
	for sets := 1.0; sets <= 2; sets++ {
		if err := e.Set(vec(3, -2)); err != nil {
			t.Fatal(err)
		}
		var again Entry
		copied(t, &again, &e)
		for _, x := range []*Entry{&e, &again} {
			if got, err := x.Mix(vec(1, 2)); err != nil || !slices.Equal(got.Data, []float64{2 + sets/8, sets / 8}) {
				t.Errorf("after %v calls the mixture is %v, %v", sets, got.Data, err)
			}
		}
	}
}

// TestSelections: only the first ranks ask the leaders, and a sample is never empty.
func TestSelections(t *testing.T) {
	n := node(t)
	for rank := range peers {
		s := &FirstRanks{Ranks: 2}
		open(t, s, rank)
		got, err := s.CurrentView(n)
		if err != nil || (len(got) == 1 && got[0] == mem.PeerID(9)) != (rank < 2) || len(got) > 1 {
			t.Errorf("rank %d asks %v, %v", rank, got, err)
		}
	}
	s := NewSampled()
	open(t, s, 0)
	all := leader(t).Peers(nil, "worker")
	sizes := map[int]bool{}
	for range 200 {
		got, err := s.CurrentView(leader(t))
		if err != nil || len(got) == 0 || slices.ContainsFunc(got, func(p wire.PeerID) bool { return !slices.Contains(all, p) }) {
			t.Fatalf("%v are drawn, %v", got, err)
		}
		sizes[len(got)] = true
	}
	if len(sizes) != peers {
		t.Errorf("the samples have the sizes %v, want each up to %d", sizes, peers)
	}
}

// TestPair: a pair that is sent is the same, and other sizes are refused.
func TestPair(t *testing.T) {
	var c Clerk
	p, err := c.Pack(vec(1.5, -2))
	if err != nil {
		t.Fatal(err)
	}
	var got Pair
	copied(t, &got, &p)
	if x, err := c.Unpack(got); err != nil || !slices.Equal(x.Data, []float64{1.5, -2}) {
		t.Errorf("the pair is %v, %v", x.Data, err)
	}
	b, _ := p.AppendBinary(nil)
	if got.UnmarshalBinary(b[:15]) == nil || got.UnmarshalBinary(append(b, 0)) == nil {
		t.Error("other sizes are read")
	}
}

// TestKin: each kind has no loss at its own model, which the other kind has.
func TestKin(t *testing.T) {
	own := [][]float32{{3, -2}, {-4, 1}}
	for rank := range 4 {
		if a, b := LossOf(rank, own[rank%2]), LossOf(rank, own[1-rank%2]); a != 0 || b != 10 {
			t.Errorf("rank %d has the losses %v and %v, want 0 and 10", rank, a, b)
		}
	}
}
