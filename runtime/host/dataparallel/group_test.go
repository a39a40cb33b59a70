package dataparallel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// network is the peers of a training in one process.
type network struct {
	t      *testing.T
	w      *mem.Network
	groups []*group
	got    [][]tensor.Value // by peer, in order
}

// startAll starts the given number of peers.
func startAll(t *testing.T, peers int) *network {
	t.Helper()
	n := &network{t: t, w: mem.New(mem.Config{Seed: 1, Delay: 1e6}), got: make([][]tensor.Value, peers)}
	for rank := range peers {
		g := &group{met: make(chan struct{}), ctx: context.Background()}
		n.groups = append(n.groups, g)
		n.w.Add(runtime.Config{Rank: rank, Heartbeat: 20e6}, func() *runtime.Partition {
			p, err := g.newPartition(runtime.Env{})
			if err != nil {
				t.Fatal(err)
			}
			return p
		})
	}
	n.w.Told = func(i int, e runtime.Event) {
		n.groups[i].hear(e)
		switch e.Kind {
		case runtime.Emitted:
			n.got[i] = append(n.got[i], e.Value)
		case runtime.Failed:
			t.Errorf("peer %d: %v", i, e.Err)
		}
	}
	return n
}

// all has each peer begin an execution of a module with the value of its rank, and returns what each was given.
func (n *network) all(module string, value func(rank int) tensor.Value) []tensor.Value {
	n.t.Helper()
	for i := range n.got {
		n.got[i] = nil
		n.w.After(1, func() {
			if err := n.w.Invoke(i, module, value(i)); err != nil {
				n.t.Error(err)
			}
		})
	}
	done, err := n.w.Run(n.w.Now()+60e9, func() bool {
		return !slices.ContainsFunc(n.got, func(list []tensor.Value) bool { return len(list) == 0 })
	})
	if err != nil || !done {
		n.t.Fatalf("%s: %v, the peers were given %v", module, err, n.got)
	}
	var out []tensor.Value
	for _, list := range n.got {
		out = append(out, list[0])
	}
	return out
}

// TestCollectives: each peer gets the sum of all vectors, exactly or as the codec of a lane rounds it, and the gathered
// vectors in the order of ranks.
func TestCollectives(t *testing.T) {
	n := startAll(t, 3)
	mine := func(rank int) tensor.Value { return tensor.Of([]float32{float32(rank), 1, -2}, 3) }
	want := map[string][]float32{numbers: {3, 3, -6}, gathered: {0, 1, -2, 1, 1, -2, 2, 1, -2}}
	for lane := range train.Lanes {
		for _, c := range collective.Codecs() {
			want[sumName(c, lane)] = want[numbers]
		}
	}
	for module, want := range want {
		for rank, v := range n.all(module, mine) {
			got := tensor.Data[float32](v.(*tensor.Tensor))
			if !slices.EqualFunc(got, want, func(a, b float32) bool { return max(a-b, b-a) <= 0.1 }) {
				t.Errorf("%s: peer %d has %v, want %v", module, rank, got, want)
			}
			if (module == numbers || module == gathered) && !slices.Equal(got, want) {
				t.Errorf("%s: peer %d has %v, want exactly %v", module, rank, got, want)
			}
		}
	}
}

// TestEnter: a step begins when all peers have entered it, and gives the number of the step back.
func TestEnter(t *testing.T) {
	n := startAll(t, 2)
	for rank, v := range n.all(enterName, func(rank int) tensor.Value { return tensor.Of([]int64{int64(7 + rank)}) }) {
		if got := tensor.Data[int64](v.(*tensor.Tensor)); len(got) != 1 || got[0] != int64(7+rank) {
			t.Errorf("peer %d has %v, want %d", rank, got, 7+rank)
		}
	}
	for rank, g := range n.groups {
		if g.state.given.Load() {
			t.Errorf("peer %d was given the state of another, and none has joined", rank)
		}
	}
}

// shared is the state of a trainer.
type shared struct{ text string }

func (s *shared) AppendBinary(b []byte) ([]byte, error) { return append(b, s.text...), nil }

func (s *shared) UnmarshalBinary(b []byte) error {
	if strings.HasPrefix(string(b), "bad") {
		return fmt.Errorf("%q is no state", b)
	}
	s.text = string(b)
	return nil
}

// TestState: only while a step begins is there a state, which is sent to a peer that joins and set by it.
func TestState(t *testing.T) {
	var s state
	if b, err := s.AppendBinary([]byte("x")); err != nil || string(b) != "x" {
		t.Errorf("between steps the state is %q, %v, want none", b, err)
	}
	if err := s.UnmarshalBinary([]byte("bad")); err != nil || s.given.Load() {
		t.Errorf("between steps a state was set: %v", err)
	}
	mine := &shared{"weights"}
	var x train.Shared = mine
	s.shared.Store(&x)
	if b, err := s.AppendBinary([]byte("x ")); err != nil || string(b) != "x weights" {
		t.Errorf("the state is %q, %v, want that of the trainer", b, err)
	}
	if err := s.UnmarshalBinary([]byte("others")); err != nil || mine.text != "others" || !s.given.Load() {
		t.Errorf("the trainer has %q, %v, want what another peer has sent", mine.text, err)
	}
	if err := s.UnmarshalBinary([]byte("bad state")); err == nil || err.Error() != `"bad state" is no state` {
		t.Errorf("a state that cannot be read: %v", err)
	}
}

// TestStepRefuses: the number of a step comes from the host and from snapshots, and both are checked.
func TestStepRefuses(t *testing.T) {
	var f enterFrame
	for _, v := range []tensor.Value{tensor.Of([]float32{1}, 1), tensor.Of([]int64{1, 2}, 2), &tensor.Sequence{}} {
		if err := f.Input(0, v); err == nil || !strings.HasSuffix(err.Error(), ", want a number") {
			t.Errorf("%v: the error is %v", v, err)
		}
	}
	if err := f.Input(0, tensor.Of([]int64{-3})); err != nil {
		t.Fatal(err)
	}
	b, err := f.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var g enterFrame
	if err := g.UnmarshalBinary(b); err != nil || g.number != -3 {
		t.Errorf("restored %d, %v, want -3", g.number, err)
	}
	if err := g.UnmarshalBinary(b[1:]); err == nil || err.Error() != "a step has 7 bytes, want 8" {
		t.Errorf("a snapshot that is cut off: %v", err)
	}
	if g.Clear(); g.number != 0 {
		t.Errorf("a cleared frame has the step %d", g.number)
	}
}

// TestHear: the first failure of a collective is kept, without the words of the engine around it.
func TestHear(t *testing.T) {
	g, cause := new(group), fmt.Errorf("peer 2 is lost")
	g.hear(runtime.Event{Kind: runtime.Emitted})
	if g.why.Load() != nil {
		t.Error("an event that is no failure is kept as one")
	}
	g.hear(runtime.Event{Kind: runtime.Failed, Err: fmt.Errorf("block sum: %w", cause)})
	g.hear(runtime.Event{Kind: runtime.Failed, Err: fmt.Errorf("another")})
	if why := g.why.Load(); why == nil || *why != cause {
		t.Errorf("kept %v, want %v", why, cause)
	}
}

// TestJoinRefuses: flags of the peer that are wrong end the process with 1 and the file of the model.
func TestJoinRefuses(t *testing.T) {
	var out, errs strings.Builder
	code := Do(model.TrainProgram{Name: "main_graph", Source: "lenet.onnx"}, []string{"-no-such-flag", "--", "-data", "d", "-epochs", "1"}, &out, &errs)
	if code != 1 || !strings.HasPrefix(errs.String(), "lenet.onnx: ") || !strings.Contains(errs.String(), "no-such-flag") {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}
