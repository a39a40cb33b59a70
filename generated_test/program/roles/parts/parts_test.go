package parts

import (
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func vec(x ...float32) tensor.Dense[float32] { return tensor.DenseOf(x, len(x)) }

// wantVec checks the result of a call.
func wantVec(t *testing.T, what string, want ...float32) func(tensor.Dense[float32], error) {
	return func(got tensor.Dense[float32], err error) {
		t.Helper()
		if err != nil || !slices.Equal(got.Data, want) || !slices.Equal(got.Shape, []int{len(want)}) {
			t.Errorf("%s: got %v of shape %v, %v, want %v", what, got.Data, got.Shape, err, want)
		}
	}
}

// TestScale: the model is y = 2x, and keeps x for its gradient, over a restart, too.
func TestScale(t *testing.T) {
	s := &Scale{}
	if err := errors.Join(s.LoadParameters(vec(1.5)), s.ApplyDelta(vec(0.5))); err != nil {
		t.Fatal(err)
	}
	x := vec(3, -2)
	wantVec(t, "y", 6, -4)(s.Forward(t.Context(), x))
	wantVec(t, "dx", 2, 4)(s.Backward(vec(1, 2)))
	wantVec(t, "parameter and gradient", 2, -1)(s.Params()) // 3·1 - 2·2
	s = statetest.Restart(t, s, &Scale{})
	wantVec(t, "dx after a restart", -2, 0)(s.Backward(vec(-1, 0)))
	wantVec(t, "parameter and gradient after a restart", 2, -4)(s.Params())
	if !slices.Equal(x.Data, []float32{3, -2}) {
		t.Errorf("x has become %v", x.Data)
	}
	if err := s.UnmarshalBinary(make([]byte, 10)); err == nil {
		t.Error("a byte too many is accepted")
	}
}

// TestScaleTrain: a step goes against the gradient of the loss.
func TestScaleTrain(t *testing.T) {
	s := &Scale{Rate: 0.25}
	if err := s.LoadParameters(vec(2)); err != nil {
		t.Fatal(err)
	}
	x, targets := vec(3, -2), vec(5, -7) // off by 1 and 3
	if loss, err := s.ComputeLoss(x, targets); err != nil || loss != 5 {
		t.Errorf("the loss is %v, %v, want 5", loss, err)
	}
	if loss, err := s.TrainStep(x, targets); err != nil || loss != 5 {
		t.Errorf("the loss before the step is %v, %v, want 5", loss, err)
	}
	wantVec(t, "parameter and gradient", 2.75, 0)(s.Params()) // the gradient is 3·1 - 2·3
}

// TestSource: the source counts from its start, which the program has to allow. A restart does not begin again.
func TestSource(t *testing.T) {
	s := &Source{From: 4}
	next := func(want float32) {
		t.Helper()
		x, y, err := s.NextBatch()
		wantVec(t, "numbers", want)(x, err)
		wantVec(t, "targets", 2*want)(y, err)
	}
	if _, _, err := s.NextBatch(); !errors.Is(err, errLoaded) {
		t.Errorf("got error %v, want that the data are not loaded", err)
	}
	if err := s.OnDataLoaded(); err != nil {
		t.Fatal(err)
	}
	next(4)
	next(5)
	s = statetest.Restart(t, s, &Source{From: 4})
	next(6)
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	next(4)
	if n, err := s.Samples(); err != nil || n != 4 {
		t.Errorf("got %v samples, %v, want 4", n, err)
	}
}

func TestOwn(t *testing.T) {
	var o Own
	all := []wire.PeerID{mem.PeerID(1), mem.PeerID(2)}
	for one, want := range map[wire.PeerID]string{mem.PeerID(1): "/peer/0/of/2", mem.PeerID(2): "/peer/1/of/2", mem.PeerID(3): "/peer/-1/of/2"} {
		twice, address, list, err := o.Mix(1.5, one, all)
		if err != nil || twice != 3 || address != want || !slices.Equal(list, all) {
			t.Errorf("got %v, %q, %v, %v, want 3, %q and all peers", twice, address, list, err, want)
		}
	}

	words := []string{"one", "two", "three"}
	said, word, err := o.Say(tensor.DenseOf(words[:2], 2))
	if err != nil || !slices.Equal(said.Data, []string{"one", "two", ""}) || !slices.Equal(said.Shape, []int{3}) || word != "zwölf" {
		t.Errorf("got %q of shape %v, %q, %v, want a word more, and a single one", said.Data, said.Shape, word, err)
	}
	if words[2] != "three" {
		t.Error("the word more is in the memory of the argument")
	}

	if sum, err := o.Sum(t.Context(), tensor.DenseOf([]int64{5, -2}, 2), tensor.DenseOf([]bool{false, true, false}, 3)); err != nil || sum != 6 {
		t.Errorf("got %v, %v, want 5 - 2 and 3 for the bools", sum, err)
	}
}
