package fedavg

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

func vector(x ...float32) *values.Large[float32] { return values.LargeOf(tensor.DenseOf(x, len(x))) }

func TestMean(t *testing.T) {
	var a Average
	contribute := func(x *values.Large[float32], weight float32) {
		t.Helper()
		if err := a.Contribute(context.Background(), wire.PeerID{}, x, weight); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second round is independent of the first
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
		mean, err := a.Aggregate(context.Background())
		if err != nil || !slices.Equal(mean.Data, []float32{3.5, 35}) {
			t.Errorf("the mean is %v (%v), want 3.5, 35", mean.Data, err)
		}
		for n := range b {
			if err := new(Average).UnmarshalBinary(b[:n]); err == nil {
				t.Errorf("the first %d bytes of the state are accepted", n)
			}
		}
	}
	if _, err := a.Aggregate(context.Background()); err == nil {
		t.Error("there is a mean of nothing")
	}
}

// The mean of a large model is in the memory of the sum, and belongs to the caller.
func TestMeanInPlace(t *testing.T) {
	x := make([]float32, keep/8+3)
	for i := range x {
		x[i] = float32(i%1000) / 7
	}
	var a Average
	var means [2]tensor.Dense[float32]
	for i := range means {
		for _, w := range []float32{1, 2} {
			if err := a.Contribute(context.Background(), wire.PeerID{}, vector(x...), w); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if means[i], err = a.Aggregate(context.Background()); err != nil || a.spare.sum != nil {
			t.Fatalf("the sum is kept, or %v", err)
		}
	}
	for i, v := range x {
		if want := float32((float64(v) + 2*float64(v)) / 3); means[0].Data[i] != want || means[1].Data[i] != want {
			t.Fatalf("element %d: %v and %v, want %v", i, means[0].Data[i], means[1].Data[i], want)
		}
	}
}

// lent is a value in shared memory with a reference count.
type lent struct {
	inMemory
	shares int
}

type inMemory = wire.Bytes

func (l *lent) Retain()  { l.shares++ }
func (l *lent) Release() { l.shares-- }

// The mean has the same bits whether contributions wait in place, or are added at once, or some of them, and
// when the sum is written and read; and it leaves no reference to a contribution.
func TestMeanOfWaiting(t *testing.T) {
	const n = 2*block + 5
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		a, want := Average{MaxNorm: 70}, Average{MaxNorm: 70}
		var all []*lent
		for range 1 + r.IntN(4) {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			l := &lent{inMemory: tensor.Raw(x)}
			var here values.Large[float32]
			if err := values.TakeLarge(&here, &wire.SlotFill{Blob: l, Payload: l.Bytes(), Dims: []uint64{n}}, values.Open); err != nil {
				t.Fatal(err)
			}
			all = append(all, l)
			w, given := r.Float32()+1, &here
			if r.IntN(3) == 0 {
				given = vector(x...)
			}
			if err := errors.Join(a.Contribute(context.Background(), wire.PeerID{}, given, w), want.Contribute(context.Background(), wire.PeerID{}, vector(x...), w)); err != nil {
				t.Fatal(err)
			}
			here.Reset()
			if r.IntN(5) == 0 {
				b, _ := a.AppendBinary(nil)
				if err := a.UnmarshalBinary(b); err != nil {
					t.Fatal(err)
				}
			}
		}
		got, err := a.Aggregate(context.Background())
		mean, _ := want.Aggregate(context.Background())
		if err != nil || !slices.Equal(got.Data, mean.Data) {
			t.Fatalf("the mean of %d contributions is another one: %v", len(all), err)
		}
		for _, l := range all {
			if l.shares != 0 {
				t.Fatalf("there are %d shares in a contribution", l.shares)
			}
		}
	}
}

func TestMaxNorm(t *testing.T) {
	a := Average{MaxNorm: 5}
	a.Contribute(context.Background(), wire.PeerID{}, vector(30, 40), 1)
	if mean, _ := a.Aggregate(context.Background()); !slices.Equal(mean.Data, []float32{3, 4}) {
		t.Errorf("%v, want 3, 4", mean.Data)
	}
}

func TestRefuses(t *testing.T) {
	a := Average{Shape: []int{2}}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	a.Contribute(context.Background(), wire.PeerID{}, vector(1, 2), 1)
	for _, c := range []struct {
		x      *values.Large[float32]
		weight float32
	}{
		{vector(1, nan), 1}, {vector(inf, 1), 1}, {vector(1), 1}, {values.LargeOf(tensor.DenseOf([]float32{1, 2}, 1, 2)), 1},
		{vector(1, 2), 0}, {vector(1, 2), -1}, {vector(1, 2), nan}, {vector(1, 2), inf},
	} {
		if err := a.Contribute(context.Background(), wire.PeerID{}, c.x, c.weight); err == nil {
			t.Errorf("%v of weight %v is accepted", c.x, c.weight)
		}
	}
	if mean, err := a.Aggregate(context.Background()); err != nil || !slices.Equal(mean.Data, []float32{1, 2}) {
		t.Errorf("what was refused has changed the mean: %v, %v", mean.Data, err)
	}
}

// The shape is the model's, whichever peer contributes first: an undeclared one is that of most contributions,
// and then of all. It survives a restart.
func TestShape(t *testing.T) {
	var a Average
	contribute := func(x *values.Large[float32]) error { return a.Contribute(context.Background(), wire.PeerID{}, x, 1) }
	restart := func() {
		t.Helper()
		b, err := a.AppendBinary(nil)
		a = Average{}
		if err := errors.Join(err, a.UnmarshalBinary(b)); err != nil {
			t.Fatal(err)
		}
	}
	contribute(vector(100))
	for range 2 {
		if err := contribute(vector(1, 2)); err != nil {
			t.Fatal(err)
		}
	}
	restart()
	if mean, err := a.Aggregate(context.Background()); err != nil || !slices.Equal(mean.Data, []float32{1, 2}) {
		t.Errorf("the mean is %v (%v), want that of most, 1, 2", mean.Data, err)
	}
	restart()
	if err := contribute(vector(100)); err == nil {
		t.Error("another shape is accepted after a restart")
	}
	if err := contribute(vector(3, 4)); err != nil {
		t.Error(err)
	}
	if mean, err := a.Aggregate(context.Background()); err != nil || !slices.Equal(mean.Data, []float32{3, 4}) {
		t.Errorf("the mean is %v (%v), want 3, 4", mean.Data, err)
	}
}
