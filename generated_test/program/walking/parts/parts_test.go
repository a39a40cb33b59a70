package parts

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
)

func line(t *testing.T, seed uint64, rank int) *Line {
	t.Helper()
	l := &Line{}
	if err := l.Open(runtime.Env{Seed: seed, Rank: rank}); err != nil {
		t.Fatal(err)
	}
	return l
}

// TestOpen: points are on the line y = 2x-1, near a place that follows from the rank.
func TestOpen(t *testing.T) {
	for rank, left := range map[int]float64{0: -5.0 / 6, 3: 1.0 / 6, 5: 5.0 / 6, 6: -5.0 / 6} {
		l := line(t, 1, rank)
		if len(l.points) != 16 {
			t.Fatalf("rank %d: %d points, want 16", rank, len(l.points))
		}
		for _, p := range l.points {
			if p[0] < left-1e-9 || p[0] > left+0.1+1e-9 || math.Abs(p[1]-(2*p[0]-1)) > 1e-9 {
				t.Errorf("rank %d: got point %v, want one of the line between %v and %v", rank, p, left, left+0.1)
			}
		}
		if !slices.Equal(line(t, 1, rank).points, l.points) || slices.Equal(line(t, 2, rank).points, l.points) {
			t.Errorf("rank %d: points do not follow from the seed", rank)
		}
	}
}

// TestTrain: each point draws the model a tenth of the way down its gradient.
func TestTrain(t *testing.T) {
	l := &Line{points: [][2]float64{{1, 1}, {2, 3}}}
	for _, c := range []struct{ model, want []float64 }{
		{nil, []float64{0.64, 0.37}}, // 0, 0 is 1 off at the first point: 0.1, 0.1, which is 2.7 off at the second
		{[]float64{2, -1}, []float64{2, -1}},
		{[]float64{1, 0}, []float64{1.2, 0.1}}, // right at the first point, and 1 off at the second
	} {
		got, err := l.Train(slices.Clone(c.model))
		if err != nil || len(got) != 2 || math.Abs(got[0]-c.want[0]) > 1e-12 || math.Abs(got[1]-c.want[1]) > 1e-12 {
			t.Errorf("%v becomes %v, %v, want %v", c.model, got, err, c.want)
		}
	}
	l = statetest.Restart(t, l, &Line{})
	if n, err := l.Trained(); err != nil || n != 3 {
		t.Errorf("trained %d times, %v, want 3", n, err)
	}
	if err := l.UnmarshalBinary(make([]byte, 9)); err == nil {
		t.Error("a byte more than a number is accepted")
	}
}

// TestTogether: workers that train in turn find the line.
func TestTogether(t *testing.T) {
	var model []float64
	for i := range 600 {
		var err error
		if model, err = line(t, 1, i%6).Train(model); err != nil {
			t.Fatal(err)
		}
	}
	if math.Abs(model[0]-A) > 1e-3 || math.Abs(model[1]-B) > 1e-3 {
		t.Errorf("got the line %v, want %v, %v", model, A, B)
	}
}
