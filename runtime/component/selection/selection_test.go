package selection

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

func id(i int) wire.PeerID {
	p, err := wire.PeerIDOf(bytes.Repeat([]byte{byte(i)}, 32))
	if err != nil {
		panic(err)
	}
	return p
}

const clients = 8

// play asks in rounds: client i answers after delay(i) seconds with loss(i); a delay of 0 is no answer. It returns how
// often each was asked in the last half of them.
func play(t *testing.T, s *Selector, rounds int, loss func(i int) float32, delay func(i int) int64) (asked [clients]int) {
	t.Helper()
	c := runtime.Config{Self: id(100), Incarnation: 1, Seed: 7}
	for i := range clients {
		c.Peers = append(c.Peers, runtime.PeerConfig{ID: id(1 + i), Class: "client", Rank: i})
	}
	n, err := runtime.New(c, &runtime.Partition{Class: "server"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Open(runtime.Env{}); err != nil {
		t.Fatal(err)
	}
	for round := range rounds {
		start := int64(1+round) * 100e9
		n.Tick(start)
		view, err := s.CurrentView(n)
		if err != nil || len(view) != s.Count || len(slices.Compact(slices.SortedFunc(slices.Values(view), wire.PeerID.Compare))) != s.Count {
			t.Fatalf("round %d asks %v, %v, want %d different peers", round, view, err, s.Count)
		}
		slices.SortFunc(view, func(a, b wire.PeerID) int { return int(delay(rank(a)) - delay(rank(b))) })
		for _, p := range view {
			i := rank(p)
			if 2*round >= rounds {
				asked[i]++
			}
			if d := delay(i); d > 0 {
				n.Tick(start + d*1e9)
				if _, err := s.Report(n, p, loss(i)); err != nil {
					t.Fatal(err)
				}
			}
		}
		s = again(t, s)
	}
	return asked
}

func rank(p wire.PeerID) int {
	key := p.Key()
	return int(key[0]) - 1
}

// again returns a selector that continues from a snapshot.
func again(t *testing.T, s *Selector) *Selector {
	t.Helper()
	b, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	back := *s
	back.known = nil
	if err := back.UnmarshalBinary(b[:len(b)-1]); err == nil {
		t.Fatal("a state that is cut off is read")
	}
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return &back
}

// Peers with large losses, short times or many answers are asked most often, and each at least once before.
func TestBest(t *testing.T) {
	rising := func(i int) float32 { return float32(1 + i) }
	slower := func(i int) int64 { return int64(1 + i) }
	for _, c := range []struct {
		name string
		s    Selector
		loss func(int) float32
		time func(int) int64
		want []int
	}{
		{"loss", Selector{Loss: 1}, rising, slower, []int{6, 7}},
		{"speed", Selector{Speed: 1}, rising, slower, []int{0, 1}},
		{"both", Selector{Loss: 2, Speed: 1}, rising, slower, []int{6, 7}},
		{"availability", Selector{Loss: 1, Availability: 4}, rising, func(i int) int64 {
			if i >= 6 {
				return 0
			}
			return 1
		}, []int{4, 5}},
	} {
		c.s.Class, c.s.Count = "client", 2
		asked := play(t, &c.s, 40, c.loss, c.time)
		for i, k := range asked {
			if want := slices.Contains(c.want, i); want != (k > 15) {
				t.Errorf("%s: the clients are asked %v times in the last 20 rounds, want mostly %v", c.name, asked, c.want)
				break
			}
		}
	}
}

// With Explore, a part of the peers is random; with Candidates, the best of random ones are asked.
func TestRandom(t *testing.T) {
	for _, s := range []Selector{{Explore: 0.5}, {Candidates: 4}} {
		s.Class, s.Count, s.Loss = "client", 2, 1
		asked := play(t, &s, 400, func(i int) float32 { return float32(1 + i) }, func(int) int64 { return 1 })
		if slices.Min(asked[2:]) < 10 || asked[7] < 90 || asked[7] <= asked[3] {
			t.Errorf("%+v: the clients are asked %v times in 200 rounds", s, asked)
		}
	}
}

// Losses that are no numbers, and configurations without a meaning, are refused.
func TestRefused(t *testing.T) {
	s := &Selector{Class: "client", Count: 1}
	for _, loss := range []float32{-1, float32(math.NaN()), float32(math.Inf(1))} {
		if _, err := s.Report(nil, id(1), loss); err == nil {
			t.Errorf("the loss %v is stored", loss)
		}
	}
	for _, bad := range []Selector{{}, {Class: "a"}, {Class: "a", Count: 1, Explore: 2}, {Class: "a", Count: 1, Loss: -1}, {Class: "a", Count: 1, Candidates: -1}} {
		if err := bad.Open(runtime.Env{}); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// An answer that comes after a restart counts, but says nothing of the speed: the time when the peer was asked is of another
// clock.
func TestAnswerAfterRestart(t *testing.T) {
	for _, before := range []float64{0, 2e9} {
		s := &Selector{Class: "client", Count: 1, Speed: 1, known: []record{{peer: id(1), asked: 1, since: 100e9, took: before}}}
		s = again(t, s)
		n, err := runtime.New(runtime.Config{Self: id(100), Incarnation: 2}, &runtime.Partition{Class: "server"})
		if err != nil {
			t.Fatal(err)
		}
		n.Tick(1e9)
		if _, err := s.Report(n, id(1), 1); err != nil {
			t.Fatal(err)
		}
		if r := s.known[0]; r.answered != 1 || r.took != before || r.since != 0 || !(s.score(id(1)) <= 1) {
			t.Errorf("it has answered %d times in %v ns, with score %v, want once in %v", r.answered, r.took, s.score(id(1)), before)
		}
	}
}
