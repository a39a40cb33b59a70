package parts

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func vec(x ...float32) vector { return tensor.DenseOf(x, len(x)) }

// task returns the task of a rank.
func task(t *testing.T, rank int) *Task {
	t.Helper()
	k := &Task{}
	if err := k.Open(runtime.Env{Rank: rank}); err != nil {
		t.Fatal(err)
	}
	return k
}

// wantVec checks the result of a call.
func wantVec(t *testing.T, what string, want ...float32) func(vector, error) {
	return func(got vector, err error) {
		t.Helper()
		if err != nil || !slices.Equal(got.Data, want) || !slices.Equal(got.Shape, []int{len(want)}) {
			t.Errorf("%s: got %v of shape %v, %v, want %v", what, got.Data, got.Shape, err, want)
		}
	}
}

// TestKinds: tasks of even ranks end at 1, the others at -1.
func TestKinds(t *testing.T) {
	models := tensor.DenseOf([]float32{0.5, 1, -1, -1, 0, 3}, 3, 2)
	for _, c := range []struct {
		rank           int
		losses, change []float32 // of the models, and of a model of 0 and 3
	}{
		{4, []float32{0.25, 8, 5}, []float32{0.5, -1}},
		{5, []float32{6.25, 0, 17}, []float32{-0.5, -2}},
	} {
		k := task(t, c.rank)
		wantVec(t, "losses", c.losses...)(k.Losses(models))
		model := vec(0, 3)
		wantVec(t, "change", c.change...)(k.Change(model))
		if !slices.Equal(model.Data, []float32{0, 3}) {
			t.Errorf("the model has become %v", model.Data)
		}
	}
}

// TestTrain: elements go half the way to 1, and the own one, which is kept, to the rank.
func TestTrain(t *testing.T) {
	k := task(t, 3)
	wantVec(t, "at first", 5, 6, 0)(k.Own(vec(5, 6)))
	wantVec(t, "trained", 1, 2, 2)(k.Train(vec(1, 3, 1)))
	k = statetest.Restart(t, k, task(t, 3))
	wantVec(t, "own", 5, 6, 2)(k.Own(vec(5, 6)))
	wantVec(t, "trained again", 3, 2.5)(k.Train(vec(5, 2)))
}

// TestDitto: a whole model starts at 0, makes steps from there, and starts again with another number of elements.
func TestDitto(t *testing.T) {
	k := task(t, 0)
	ditto := func(shared vector, wantModel, wantGradients []float32) {
		t.Helper()
		model, gradients, err := k.Ditto(shared)
		wantVec(t, "model", wantModel...)(model, err)
		wantVec(t, "gradients", wantGradients...)(gradients, err)
	}
	ditto(vec(7, 8), []float32{0, 0}, []float32{-3, -3})
	wantVec(t, "kept", 0.75, 1.25)(k.Keep(vec(0, 1), vec(-3, -1)))
	ditto(vec(7, 8), []float32{0.75, 1.25}, []float32{-2.25, -1.75})
	k = statetest.Restart(t, k, task(t, 0))
	ditto(vec(7, 8), []float32{0.75, 1.25}, []float32{-2.25, -1.75})
	ditto(vec(9), []float32{0}, []float32{-3})
}

// TestState: a state with more behind it is refused.
func TestState(t *testing.T) {
	b, err := task(t, 0).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := task(t, 0).UnmarshalBinary(append(b, 0)); err == nil {
		t.Error("a byte too many is accepted")
	}
}
