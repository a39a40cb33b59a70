package container

import (
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

// TestFifo compares a queue with a slice under random additions and removals: the ring wraps around and grows at any
// position.
func TestFifo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var q Fifo[*int]
	var want []*int
	for i := range 10_000 {
		switch {
		case r.IntN(100) < 51 || len(want) == 0:
			q.Push(&i)
			want = append(want, &i)
		case r.IntN(2) == 0:
			if x := q.Pop(); x != want[0] {
				t.Fatalf("step %d: it gives %v, want %v", i, x, want[0])
			}
			want = want[1:]
		default:
			q.Drop()
			want = want[1:]
		}
		if q.Len() != len(want) {
			t.Fatalf("step %d: %d elements, want %d", i, q.Len(), len(want))
		}
		for k, x := range want {
			if *q.At(k) != x {
				t.Fatalf("step %d: element %d differs", i, k)
			}
		}
	}
	for q.Len() > 0 {
		q.Drop()
	}
	for i, x := range q.items {
		if x != nil {
			t.Errorf("element %d is kept after its removal: the memory behind it would be, too", i)
		}
	}
	if *q.Add() != nil {
		t.Error("an added element is not zero")
	}
}

// TestWiden: a set with more room has the same numbers, and its words hold all of them.
func TestWiden(t *testing.T) {
	s := NewBitset(64)
	if !s.Empty() || s.Width() != 64 {
		t.Errorf("a new set is empty: %v, and has room for %d", s.Empty(), s.Width())
	}
	s.Add(63)
	s.Widen(130)
	s.Add(129)
	if s.Width() != 192 || !s.Has(63) || !s.Has(129) || s.Has(64) || s.Empty() {
		t.Errorf("a widened set has %d words and %+v", s.Width()/64, s)
	}
	small := NewBitset(64)
	small.Add(63)
	if !s.Covers(&small) {
		t.Error("a smaller set with one of its numbers is not covered")
	}
	copied := NewBitset(192)
	var words []uint64
	s.Words(func(w *uint64) { words = append(words, *w) })
	copied.Words(func(w *uint64) { *w, words = words[0], words[1:] })
	if !copied.Covers(&s) || !s.Covers(&copied) {
		t.Error("a set from the words of another one differs")
	}
	s.Clear()
	if !s.Empty() || s.Width() != 192 {
		t.Error("clearing keeps numbers, or drops room")
	}
}

// TestHash: no hash is 0, which marks a free row; hashes of consecutive numbers do not collide in small tables.
func TestHash(t *testing.T) {
	for i := range uint64(1000) {
		id, err := wire.PeerIDOf(append(make([]byte, 31), byte(i)))
		if err != nil {
			t.Fatal(err)
		}
		for name, h := range map[string]uint64{"Hash": Hash(i, i), "HashInRow": HashInRow(i), "HashEdge": HashEdge(wire.EdgeID(i)), "HashPeer": HashPeer(id)} {
			if h == 0 {
				t.Errorf("%s of %d is 0", name, i)
			}
		}
		if h := HashInRow(i); h&63 != i&63 || h>>6 != HashInRow(i&^63)>>6 {
			t.Errorf("the hash of %d is not beside its neighbors", i)
		}
	}
	var tab Table[uint64, int]
	tab.Put(Hash(1, 1), 1, 10)
	tab.Put(Hash(2, 1), 2, 20)
	if tab.Remove(Hash(3, 1), 3); tab.Len() != 2 {
		t.Errorf("%d keys, want 2", tab.Len())
	}
}
