package sampling

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func id(i int) wire.PeerID {
	p, err := wire.PeerIDOf(append(bytes.Repeat([]byte{1}, 31), byte(i)))
	if err != nil {
		panic(err)
	}
	return p
}

// world is peers that gossip with each other.
type world struct {
	nodes []*runtime.Node
	peers []*Shuffle
	at    map[wire.PeerID]int
	dead  map[int]bool
}

func newWorld(t testing.TB, n, size int) *world {
	w := &world{at: map[wire.PeerID]int{}, dead: map[int]bool{}}
	var list []runtime.PeerConfig
	for i := range n {
		list = append(list, runtime.PeerConfig{ID: id(i), Class: "a", Rank: i})
		w.at[id(i)] = i
	}
	for i := range n {
		node, err := runtime.New(runtime.Config{Self: id(i), Rank: i, Incarnation: 1, Seed: 5, Peers: list}, &runtime.Partition{Class: "a"})
		if err != nil {
			t.Fatal(err)
		}
		w.nodes, w.peers = append(w.nodes, node), append(w.peers, &Shuffle{Class: "a", Size: size})
	}
	return w
}

// round makes each live peer begin an exchange.
func (w *world) round(t testing.TB) {
	for i, s := range w.peers {
		if w.dead[i] {
			continue
		}
		to, m, err := s.Tick(w.nodes[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range to {
			j := w.at[p]
			if w.dead[j] {
				continue
			}
			back, answer, err := w.peers[j].Receive(w.nodes[j], id(i), m)
			if err == nil && len(back) == 1 && back[0] == id(i) {
				err = s.Answered(w.nodes[i], p, answer)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// known returns by how many live peers each peer is known.
func (w *world) known() []int {
	in := make([]int, len(w.peers))
	for i, s := range w.peers {
		for _, e := range s.view {
			if !w.dead[i] {
				in[w.at[e.id]]++
			}
		}
	}
	return in
}

// TestRandom begins with a ring, in which each peer knows the next ones. Soon the known peers are spread: as
// in a random sample, each peer is known by about the same number of peers, and learns about all others over
// time.
func TestRandom(t *testing.T) {
	const n, size = 100, 8
	w := newWorld(t, n, size)
	met := map[string]bool{}
	behind := 0
	for r := range 200 {
		w.round(t)
		for i, s := range w.peers {
			if len(s.view) < size-1 || s.has(id(i)) {
				t.Fatalf("round %d: peer %d knows %d peers, itself: %v", r, i, len(s.view), s.has(id(i)))
			}
			for _, e := range s.view {
				met[fmt.Sprint(i, " ", w.at[e.id])] = true
				if d := (w.at[e.id] - i + n) % n; r >= 50 && d <= size {
					behind++
				}
			}
		}
	}
	for p, k := range w.known() {
		if k < 1 || k > 3*size {
			t.Errorf("peer %d is known by %d others, want about %d", p, k, size)
		}
	}
	if len(met) < n*(n-1)*9/10 {
		t.Errorf("%d of %d pairs have met", len(met), n*(n-1))
	}
	// The part of ring neighbors among all entries since then is that of a random sample: size of n-1.
	if share := float64(behind) / (150 * n * size); share > 1.5*size/(n-1) || share < 0.5*size/(n-1) {
		t.Errorf("%.3f of what is known are those behind one, want about %.3f", share, float64(size)/(n-1))
	}
}

// TestFew: among few peers, each knows all others whenever none of its exchanges is under way.
func TestFew(t *testing.T) {
	for n := 2; n < 6; n++ {
		w := newWorld(t, n, 8)
		for r := range 3 * n {
			w.round(t)
			for i, s := range w.peers {
				if len(s.view) != n-1 {
					t.Fatalf("round %d: peer %d knows %d of %d other peers", r, i, len(s.view), n-1)
				}
			}
		}
	}
}

// TestDead lets a third of the peers die: the others forget them, and remain connected.
func TestDead(t *testing.T) {
	w := newWorld(t, 60, 8)
	for range 30 {
		w.round(t)
	}
	for i := range 20 {
		w.dead[3*i] = true
	}
	for range 40 {
		w.round(t)
	}
	seen := map[int]bool{}
	var walk func(i int)
	walk = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, e := range w.peers[i].view {
			walk(w.at[e.id])
		}
	}
	walk(1)
	for p, k := range w.known() {
		if w.dead[p] && k > 0 {
			t.Errorf("dead peer %d is known by %d", p, k)
		}
		if !w.dead[p] && !seen[p] {
			t.Errorf("peer %d cannot be reached from 1", p)
		}
	}
}

// TestState continues from a snapshot like without a restart.
func TestState(t *testing.T) {
	w := newWorld(t, 30, 6)
	for range 10 {
		w.round(t)
	}
	s := w.peers[7]
	b, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	x := &Shuffle{Class: "a", Size: 6}
	if err := x.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if again, _ := x.AppendBinary(nil); !bytes.Equal(b, again) {
		t.Error("what was restored is not what was saved")
	}
	for i := range b {
		if x.UnmarshalBinary(b[:i]) == nil {
			t.Errorf("%d of %d bytes are a state", i, len(b))
		}
	}
}

// TestStrangers makes peers send peers that are not admitted.
func TestStrangers(t *testing.T) {
	w := newWorld(t, 3, 4)
	stranger := message([]entry{{id: id(200)}, {id: id(0)}})
	if _, _, err := w.peers[0].Receive(w.nodes[0], id(1), stranger); err != nil {
		t.Fatal(err)
	}
	if w.peers[0].has(id(200)) || w.peers[0].has(id(0)) {
		t.Error("a stranger, or itself, is known")
	}
	if _, _, err := w.peers[0].Receive(w.nodes[0], id(1), tensor.DenseOf([]byte{255, 255, 3}, 3)); err == nil {
		t.Error("a message of 65535 peers is read")
	}
}

// FuzzMessage delivers arbitrary bytes, which must not cause a panic.
func FuzzMessage(f *testing.F) {
	w := newWorld(f, 5, 4)
	f.Add(appendEntries(nil, []entry{{id(1), 3}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &Shuffle{Class: "a", Size: 4}
		if _, _, err := s.Receive(w.nodes[0], id(1), tensor.DenseOf(b, len(b))); err == nil && len(s.view) > 4 {
			t.Fatalf("a view of 4 has %d", len(s.view))
		}
	})
}

// Views that begin at random are full, differ by peer, and are no ring.
func TestBeginsAtRandom(t *testing.T) {
	const n, size = 100, 8
	w := newWorld(t, n, size)
	behind := 0
	for i, s := range w.peers {
		s.Random = true
		s.begin(w.nodes[i])
		if len(s.view) < size-3 || s.has(id(i)) {
			t.Fatalf("peer %d knows %d peers, itself: %v", i, len(s.view), s.has(id(i)))
		}
		for _, e := range s.view {
			if d := (w.at[e.id] - i + n) % n; d <= size {
				behind++
			}
		}
	}
	if want := n * size * size / n; behind > 3*want {
		t.Errorf("%d peers that are known are among the next %d, want about %d", behind, size, want)
	}
}
