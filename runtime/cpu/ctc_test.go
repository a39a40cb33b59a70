package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestCTCLoss compares the loss with the sum over all paths through the classes.
func TestCTCLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		time, blank int
		labels      []int64
	}{
		{1, 0, []int64{}}, {1, 0, []int64{2}}, {3, 0, []int64{1, 1}}, {4, 1, []int64{2, 2}}, {5, 2, []int64{0, 1, 0}},
		{2, 0, []int64{1, 2, 1}}, {5, 2, []int64{0, 1}}, {0, 0, []int64{}}, {0, 0, []int64{1}},
	} {
		const batch, classes, most = 2, 3, 4
		o := CTC{Batch: batch, Time: c.time + 1, Classes: classes, Labels: most, Blank: c.blank}
		x := make([]float64, o.Time*batch*classes)
		for i := range x {
			x[i] = -3 * r.Float64()
		}
		labels := make([]int64, batch*most)
		copy(labels[most:], c.labels)
		got := make([]float64, batch)
		CTCLoss(got, x, labels, []int64{int64(o.Time), int64(c.time)}, []int64{0, int64(len(c.labels))}, make([]float64, batch*(2*most+1)), o)
		p := 0.0
		path := make([]int, c.time)
		for range int(math.Pow(classes, float64(c.time))) {
			if slices.Equal(collapse(path, c.blank), c.labels) {
				sum := 0.0
				for t, class := range path {
					sum += x[(t*batch+1)*classes+class]
				}
				p += math.Exp(sum)
			}
			stepIndex(path, slices.Repeat([]int{classes}, c.time))
		}
		if want := -math.Log(p); got[1] != want && !(math.Abs(got[1]-want) < 1e-12*math.Abs(want)) {
			t.Errorf("%v in %d moments: loss %v, want %v", c.labels, c.time, got[1], want)
		}
	}
}

// collapse returns the labels of a path: repetitions count once, blanks are dropped.
// at all.
func collapse(path []int, blank int) []int64 {
	out := []int64{}
	for i, c := range path {
		if c != blank && (i == 0 || path[i-1] != c) {
			out = append(out, int64(c))
		}
	}
	return out
}

// TestCTCRefuses tests data with numbers out of range.
func TestCTCRefuses(t *testing.T) {
	o := CTC{Batch: 1, Time: 2, Classes: 3, Labels: 1}
	for _, c := range []struct {
		label, time, length int64
		want                string
	}{
		{3, 2, 1, "label 0 of sample 0 is 3, want 0 to 2"},
		{-1, 2, 1, "label 0 of sample 0 is -1"},
		{1, 3, 1, "has 3 moments, want 0 to 2"},
		{1, 2, 2, "has 2 labels, want 0 to 1"},
		{1, 2, -1, "has -1 labels"},
		{1, 2, math.MinInt64, "labels, want 0 to 1"}, // twice as many are 0 in 64 bits
		{1, 2, math.MinInt64 + 1, "labels, want 0 to 1"},
		{1, 2, math.MaxInt64, "labels, want 0 to 1"},
		{1, math.MinInt64, 1, "moments, want 0 to 2"},
		{1, 1 << 32, 1, "moments, want 0 to 2"},
		{1 << 32, 2, 1, "label 0 of sample 0 is 4294967296"},
	} {
		func() {
			defer func() {
				if err, _ := recover().(*Error); err == nil || !strings.Contains(err.Msg, c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
			}()
			CTCLoss(make([]float32, 1), make([]float32, 6), []int64{c.label}, []int64{c.time}, []int64{c.length}, make([]float64, 3), o)
		}()
	}
}

// TestCTCThreads computes samples of different lengths on several threads, and compares with float64 on one.
func TestCTCThreads(t *testing.T) {
	defer SetThreads(0)
	SetThreads(3)
	r := rand.New(rand.NewPCG(3, 4))
	o := CTC{Batch: 9, Time: 40, Classes: 5, Labels: 7, Blank: 4, BatchFirst: true, ZeroInfinity: true}
	x64, dy64 := make([]float64, o.Batch*o.Time*o.Classes), make([]float64, o.Batch)
	for i := range x64 {
		x64[i] = float64(float32(-3 * r.Float64()))
	}
	labels, times, lengths := make([]int64, o.Batch*o.Labels), make([]int64, o.Batch), make([]int64, o.Batch)
	for i := range labels {
		labels[i] = r.Int64N(4)
	}
	for i := range o.Batch {
		dy64[i], times[i], lengths[i] = float64(i+1), int64(o.Time-4*i), int64(i%(o.Labels+1))
	}
	x, dy := make([]float32, len(x64)), make([]float32, len(dy64))
	for i, v := range x64 {
		x[i] = float32(v)
	}
	for i, v := range dy64 {
		dy[i] = float32(v)
	}
	work := make([]float64, o.Batch*(o.Time+1)*(2*o.Labels+1))
	y, want := make([]float32, o.Batch), make([]float64, o.Batch)
	CTCLoss(y, x, labels, times, lengths, work, o)
	CTCLoss(want, x64, labels, times, lengths, work, o)
	about(t, "losses", y, want...)
	dx, wantX := make([]float32, len(x)), make([]float64, len(x))
	CTCLossGrad(dx, dy, x, labels, times, lengths, work, o)
	CTCLossGrad(wantX, dy64, x64, labels, times, lengths, work, o)
	about(t, "gradients", dx, wantX...)
}
