package handmade_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// peer is a peer's rank and how its partition is made.
type peer struct {
	rank int
	make func() *runtime.Partition
}

// played runs peers in a network that loses and repeats messages. Each input is given to the first module of its peer. The result
// is what the peers emit, with their numbers, and the failures, in no particular order.
func played(t *testing.T, peers []peer, inputs map[int]tensor.Value, values int) (out []string) {
	t.Helper()
	w := mem.New(mem.Config{Seed: 3, Delay: 1e6, Jitter: 5e6, Loss: 0.1, Duplicate: 0.1})
	var first []string // module of each
	for _, p := range peers {
		first = append(first, p.make().Modules[0].Name)
		w.Add(runtime.Config{Rank: p.rank, Heartbeat: 20e6}, p.make)
	}
	w.Started = func(i int, n *runtime.Node) {
		if in := inputs[i]; in != nil {
			if _, err := n.Invoke(n.Now(), first[i], in); err != nil {
				t.Error(err)
			}
		}
	}
	w.Told = func(i int, e runtime.Event) {
		switch e.Kind {
		case runtime.Emitted:
			out = append(out, line(i, e.Name, tensor.Data[float64](e.Value.(*tensor.Tensor))))
		case runtime.Failed:
			out = append(out, line(i, "failed"))
		}
	}
	if _, err := w.Run(60e9, func() bool { return len(out) >= values }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func compare(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func vector(x ...float64) tensor.Value { return tensor.Of(x, len(x)) }

func TestPingPong(t *testing.T) {
	both := []peer{{0, func() *runtime.Partition { return handmade.Ping(3) }}, {0, handmade.Pong}}
	compare(t, "three rounds", played(t, both, map[int]tensor.Value{0: vector(2, -4)}, 3), "0 y [3 -3]", "0 y [4 -2]", "0 y [5 -1]")
	compare(t, "no number", played(t, both, map[int]tensor.Value{0: vector(math.NaN())}, 1), "1 failed")
}

func TestQuestion(t *testing.T) {
	both := []peer{{0, handmade.Asker}, {0, handmade.Oracle}}
	compare(t, "a question", played(t, both, map[int]tensor.Value{0: vector(1, 2)}, 2), "0 y [2 3]", "1 x [1 2]")
}

// TestPipeline: the stages make 27x + 5 of x, as [handmade.Pipeline] does.
func TestPipeline(t *testing.T) {
	var stages []peer
	for i := range 3 {
		stages = append(stages, peer{0, func() *runtime.Partition { return handmade.Stage(i) }})
	}
	compare(t, "the stages", played(t, stages, map[int]tensor.Value{0: vector(1, -2)}, 1), "2 x [32 -49]")
	if got := handmade.Pipeline([]float64{1, -2}); !slices.Equal(got, []float64{32, -49}) {
		t.Errorf("the pipeline is %v", got)
	}
	compare(t, "infinity", played(t, stages, map[int]tensor.Value{0: vector(math.Inf(1))}, 1), "0 failed")
}

// TestReducer: all peers have the sums of all contributions, each derived from the sum before. One that fails emits none from then on.
func TestReducer(t *testing.T) {
	var all []peer
	inputs, want := map[int]tensor.Value{}, []string(nil)
	for rank := range 2 {
		all = append(all, peer{rank, func() *runtime.Partition { return handmade.Reducer(rank, 2, collective.Ring, collective.Repeat) }})
		inputs[rank] = vector(float64(4+rank), 0.5)
	}
	a, b := handmade.Contribution(0, []float64{9, 1}), handmade.Contribution(1, []float64{9, 1})
	if !slices.Equal(a, []float64{3, 1./3 + 1./7}) || !slices.Equal(b, []float64{9./4 + 1./7, 1./4 + 2./7}) {
		t.Errorf("the contributions to the second sum are %v and %v", a, b)
	}
	for rank := range 2 {
		want = append(want, line(rank, "sum", []float64{9, 1}), line(rank, "sum", []float64{a[0] + b[0], a[1] + b[1]}))
	}
	compare(t, "two sums", played(t, all, inputs, 4), want...)
	alone := []peer{{0, func() *runtime.Partition { return handmade.FailingReducer(0, 2, collective.Ring, collective.Repeat, 0) }}}
	compare(t, "a failure", slices.Compact(played(t, alone, inputs, 1)), "0 failed")
}

// line returns values with spaces between them.
func line(x ...any) string { return strings.TrimSuffix(fmt.Sprintln(x...), "\n") }

// TestRounds: two clients halve 8, add their rank plus one and an eighth for each step, and the server has the mean of both, as
// [handmade.Rounds] does.
func TestRounds(t *testing.T) {
	all := []peer{{0, func() *runtime.Partition { return handmade.Server(2, 2, 10e9) }}}
	for rank := range 2 {
		all = append(all, peer{rank, func() *runtime.Partition { return handmade.Client(&handmade.Trainer{Rank: rank}) }})
	}
	compare(t, "two rounds", played(t, all, map[int]tensor.Value{0: vector(8)}, 2), "0 model [5.625]", "0 model [4.5625]")
	if got := handmade.Rounds([]float64{8}, 2, 2); !slices.Equal(got, []float64{4.5625}) {
		t.Errorf("the rounds are %v", got)
	}
}

// TestStepper: each step halves the state and adds a sixteenth of the sum of both peers, the same at both.
func TestStepper(t *testing.T) {
	var all []peer
	inputs, want := map[int]tensor.Value{}, []string(nil)
	for rank := range 2 {
		all = append(all, peer{rank, func() *runtime.Partition { return handmade.Stepper(rank, 2, 2) }})
		inputs[rank] = tensor.Of([]int64{0})
	}
	state := []float64{0, 0}
	for step := range 2 {
		a, b := handmade.Contribution(0, state), handmade.Contribution(1, state)
		state = []float64{state[0]/2 + (a[0]+b[0])/16, state[1]/2 + (a[1]+b[1])/16}
		for rank := range 2 {
			want = append(want, line(rank, "step", []float64{float64(step + 1), state[0], state[1]}))
		}
	}
	compare(t, "two steps", played(t, all, inputs, 4), want...)
}
