package fedavg

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func vector(x ...float32) *runtime.Large[float32] { return runtime.LargeOf(tensor.DenseOf(x, len(x))) }

func TestMean(t *testing.T) {
	var a Average
	contribute := func(x *runtime.Large[float32], weight float32) {
		t.Helper()
		if err := a.Contribute(wire.PeerID{}, x, weight); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second round knows nothing of the first
		contribute(vector(1, 10), 1)
		contribute(vector(4, 40), 2)
		b, err := a.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		a = Average{}
		if err := a.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		contribute(vector(5, 50), 1)
		mean, err := a.Aggregate()
		if err != nil || !slices.Equal(mean.Data, []float32{3.5, 35}) {
			t.Errorf("the mean is %v (%v), want 3.5, 35", mean.Data, err)
		}
		for n := range b {
			if err := new(Average).UnmarshalBinary(b[:n]); err == nil {
				t.Errorf("the first %d bytes of the state are accepted", n)
			}
		}
	}
	if _, err := a.Aggregate(); err == nil {
		t.Error("there is a mean of nothing")
	}
}

// The mean of a large model lies where the sum was, and is the caller's.
func TestMeanInPlace(t *testing.T) {
	x := make([]float32, keep/8+3)
	for i := range x {
		x[i] = float32(i%1000) / 7
	}
	var a Average
	var means [2]tensor.Dense[float32]
	for i := range means {
		for _, w := range []float32{1, 2} {
			if err := a.Contribute(wire.PeerID{}, vector(x...), w); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if means[i], err = a.Aggregate(); err != nil || a.sum != nil {
			t.Fatalf("the sum is kept, or %v", err)
		}
	}
	for i, v := range x {
		if want := float32((float64(v) + 2*float64(v)) / 3); means[0].Data[i] != want || means[1].Data[i] != want {
			t.Fatalf("element %d: %v and %v, want %v", i, means[0].Data[i], means[1].Data[i], want)
		}
	}
}

func TestMaxNorm(t *testing.T) {
	a := Average{MaxNorm: 5}
	a.Contribute(wire.PeerID{}, vector(30, 40), 1)
	if mean, _ := a.Aggregate(); !slices.Equal(mean.Data, []float32{3, 4}) {
		t.Errorf("%v, want 3, 4", mean.Data)
	}
}

func TestRefuses(t *testing.T) {
	var a Average
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	a.Contribute(wire.PeerID{}, vector(1, 2), 1)
	for _, c := range []struct {
		x      *runtime.Large[float32]
		weight float32
	}{
		{vector(1, nan), 1}, {vector(inf, 1), 1}, {vector(1), 1}, {runtime.LargeOf(tensor.DenseOf([]float32{1, 2}, 1, 2)), 1},
		{vector(1, 2), 0}, {vector(1, 2), -1}, {vector(1, 2), nan}, {vector(1, 2), inf},
	} {
		if err := a.Contribute(wire.PeerID{}, c.x, c.weight); err == nil {
			t.Errorf("%v of weight %v is accepted", c.x, c.weight)
		}
	}
	if mean, err := a.Aggregate(); err != nil || !slices.Equal(mean.Data, []float32{1, 2}) {
		t.Errorf("what was refused has changed the mean: %v, %v", mean.Data, err)
	}
}
