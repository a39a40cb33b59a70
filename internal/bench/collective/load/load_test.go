package load

import (
	"testing"
	"testing/fstest"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

const text = `{"Ranks": 3, "Steps": [{"Elements": 4, "Rounds": 2, "Algorithms": ["ring"]}, {"Elements": 8, "Rounds": 1, "Algorithms": ["auto", "tree"]}]}`

func opened(t *testing.T, rank int) *Load {
	t.Helper()
	l := &Load{}
	if err := l.Open(runtime.Env{Rank: rank, Data: fstest.MapFS{File: {Data: []byte(text)}}}); err != nil {
		t.Fatal(err)
	}
	return l
}

// The values of all workers have the sum that Check expects. An algorithm that a step does not measure sums one element,
// and so do all of them after the last round.
func TestSums(t *testing.T) {
	workers := []*Load{opened(t, 0), opened(t, 1), opened(t, 2)}
	for round, sizes := range [][]int{{1, 1, 1, 1, 4, 1}, {1, 1, 1, 1, 4, 1}, {8, 1, 8, 1, 1, 1}, {1, 1, 1, 1, 1, 1}} {
		for algorithm, want := range sizes {
			sum := tensor.NewDense[float32](want)
			for _, l := range workers {
				x, err := l.Make(int64(round), int64(algorithm))
				if err != nil || len(x.Data) != want {
					t.Fatalf("round %d: %d elements for %s %v, want %d", round, len(x.Data), Algorithms[algorithm], err, want)
				}
				for i, v := range x.Data {
					sum.Data[i] += v
				}
			}
			if ok, err := workers[0].Check(sum); sum.Data[0] != 6 || !ok || err != nil {
				t.Errorf("round %d: the sum %v is wrong: %v", round, sum.Data, err)
			}
		}
	}
}

// A sum may lack a worker that is lost, but it lacks it in all elements, and has none twice.
func TestCheck(t *testing.T) {
	l := opened(t, 0)
	for _, c := range []struct {
		sum []float32
		ok  bool
	}{{[]float32{5, 5}, true}, {[]float32{6, 5}, false}, {[]float32{5, 6}, false}, {[]float32{7, 7}, false}} {
		if ok, err := l.Check(tensor.DenseOf(c.sum, 2)); ok != c.ok || (err == nil) != c.ok {
			t.Errorf("%v: %v %v", c.sum, ok, err)
		}
	}
}

func TestPlan(t *testing.T) {
	l := opened(t, 0)
	if n := l.plan.Rounds(); n != 3 {
		t.Errorf("%d rounds, want 3", n)
	}
	for round, want := range []struct{ elements, in int }{{4, 0}, {4, 1}, {8, 0}} {
		if s, in := l.plan.Of(int64(round)); s == nil || s.Elements != want.elements || in != int64(want.in) {
			t.Errorf("round %d: %+v %d", round, s, in)
		}
		if over, err := l.Over(int64(round), true); over != (round == 2) || err != nil {
			t.Errorf("round %d: over is %v %v", round, over, err)
		}
	}
	if s, _ := l.plan.Of(3); s != nil {
		t.Errorf("the step after the last is %+v", s)
	}
}

func TestOpen(t *testing.T) {
	for name, env := range map[string]runtime.Env{
		"no data": {}, "no plan": {Data: fstest.MapFS{}}, "no JSON": {Data: fstest.MapFS{File: {Data: []byte("{")}}},
	} {
		if new(Load).Open(env) == nil {
			t.Errorf("%s is no error", name)
		}
	}
}
