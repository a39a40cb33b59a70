package parts

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestLearner: honest clients send their change, and the hostile ones something else.
func TestLearner(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		rank         int
		change, sent float32
	}{
		{Flipper, 1, -100}, {Spoiler, 1.01, nan}, {2, 1.02, 1.02}, {8, 1.08, 1.08},
	} {
		var l Learner
		if err := l.Open(runtime.Env{Rank: c.rank}); err != nil {
			t.Fatal(err)
		}
		model := tensor.DenseOf([]float32{4, -7}, 2)
		change, err := l.Change(model)
		if want := []float32{c.change, c.change}; err != nil || !slices.Equal(change.Data, want) {
			t.Errorf("rank %d: the change is %v, %v, want %v", c.rank, change.Data, err, want)
		}
		sent, err := l.Sent(change)
		same := func(x, y float32) bool { return x == y || x != x && y != y }
		if want := []float32{c.sent, c.sent}; err != nil || !slices.EqualFunc(sent.Data, want, same) {
			t.Errorf("rank %d: it sends %v, %v, want %v", c.rank, sent.Data, err, want)
		}
		if model.Data[0] != 4 || model.Data[1] != -7 || change.Data[0] != c.change {
			t.Errorf("rank %d: the arguments have become %v and %v", c.rank, model.Data, change.Data)
		}
	}
}
