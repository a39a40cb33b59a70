package walk

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/sampling"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// member is a peer of a walk in rounds, with a node that knows the others.
type member struct {
	*Walk
	node *runtime.Node
}

// circle returns the peers of a cyclic walk, all of which are connected with each other.
func circle(t *testing.T, n int) []member {
	t.Helper()
	var list []member
	for rank := range n {
		c := runtime.Config{Self: id(rank), Incarnation: 1, Seed: 7}
		for other := range n {
			if other != rank {
				c.Peers = append(c.Peers, runtime.PeerConfig{ID: id(other), Class: "worker", Rank: other})
			}
		}
		node, err := runtime.New(c, &runtime.Partition{Class: "worker"})
		if err != nil {
			t.Fatal(err)
		}
		w := &Walk{Patience: 3, Cyclic: true, Others: &sampling.Shuffle{Class: "worker"}, Trainer: &counter{}}
		if err := w.Open(runtime.Env{Rank: rank, Random: rand.NewChaCha8([32]byte{byte(rank)})}); err != nil {
			t.Fatal(err)
		}
		list = append(list, member{w, node})
	}
	for i, m := range list {
		for k := range list {
			if k != i {
				m.meet(t, k)
			}
		}
	}
	return list
}

// meet connects a peer with another one.
func (m member) meet(t *testing.T, other int) {
	t.Helper()
	hello := m.node.Hello()
	if err := m.node.Connected(0, id(other), &hello); err != nil {
		t.Fatal(err)
	}
	m.poll()
}

// lose tells a peer that another one is gone.
func (m member) lose(other int) {
	m.node.Disconnected(0, id(other), errors.New("gone"))
	m.poll()
}

func (m member) poll() {
	for {
		if _, ok := m.node.Poll(0); !ok {
			return
		}
	}
}

// step lets a period pass at one peer, delivers what it sends, and what the receivers answer. It returns the peers
// that got the token.
func step(t *testing.T, list []member, i int) (to []wire.PeerID) {
	t.Helper()
	to, token, err := list[i].Tick(list[i].node)
	if err != nil {
		t.Fatal(err)
	}
	for k := range list {
		if !slices.Contains(to, id(k)) {
			continue
		}
		told, note, err := list[k].Receive(list[k].node, id(i), token)
		if err != nil {
			t.Fatal(err)
		}
		for x := range list {
			if slices.Contains(told, id(x)) {
				if err := list[x].Answered(id(k), note); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return to
}

func state(t *testing.T, m member) []int64 {
	t.Helper()
	s, err := m.State()
	if err != nil {
		t.Fatal(err)
	}
	return s.Data
}

// TestCyclic: the token visits the peers by rank, over and over, and each visit trains its model once. A peer that
// is gone is skipped.
func TestCyclic(t *testing.T) {
	list := circle(t, 3)
	if to := step(t, list, 1); to != nil {
		t.Errorf("rank 1 begins the walk: it sends to %v", to)
	}
	for i := range 6 {
		if to := step(t, list, i%3); !slices.Equal(to, []wire.PeerID{id((i + 1) % 3)}) {
			t.Fatalf("visit %d goes to %v, want the next rank", i, to)
		}
	}
	if got := state(t, list[0]); !slices.Equal(got, []int64{1, 1, 7}) {
		t.Errorf("rank 0 has the state %d, want the token, of generation 1, trained seven times", got)
	}
	if got := state(t, list[1]); !slices.Equal(got, []int64{0, 1, 7}) {
		t.Errorf("rank 1 has the state %d, want no token, and to have heard of all steps: the peer before the sender is told, too", got)
	}
	if m, err := list[0].Model(); err != nil || !slices.Equal(m.Data, []float64{7}) {
		t.Errorf("the model is %v, %v, want one that was trained seven times", m.Data, err)
	}
	list[0].lose(1)
	if to := step(t, list, 0); !slices.Equal(to, []wire.PeerID{id(2)}) {
		t.Errorf("without rank 1 the token goes to %v, want rank 2", to)
	}
	list[2].lose(0)
	list[2].lose(1)
	if to := step(t, list, 2); to != nil || list[2].held == nil {
		t.Errorf("with nobody left the token goes to %v, and is held: %v", to, list[2].held != nil)
	}
}

// TestReceiveRefuses: a message that is no token, or one that no walk has issued, changes nothing and is not answered.
func TestReceiveRefuses(t *testing.T) {
	list := circle(t, 2)
	good := message(&token{stamp: stamp{generation: 1, steps: 1}, model: []float64{1}}).Data
	for name, b := range map[string][]byte{
		"nothing":       nil,
		"no generation": message(&token{model: []float64{1}}).Data,
		"cut off":       good[:len(good)-1],
		"more behind":   append(slices.Clone(good), 0),
		"too many":      message(&token{stamp: stamp{generation: maxCount + 1}}).Data,
	} {
		to, _, err := list[1].Receive(list[1].node, id(0), tensor.DenseOf(b, len(b)))
		if err == nil || to != nil {
			t.Errorf("%s: answered to %v, %v, want an error", name, to, err)
		}
		if got := state(t, list[1]); !slices.Equal(got, []int64{0, 0, 0}) {
			t.Errorf("%s: the state is %d, want none", name, got)
		}
		if err := list[1].Answered(id(0), tensor.DenseOf(b, len(b))); name != "no generation" && err == nil {
			t.Errorf("%s is taken for a note", name)
		}
	}
}
