package tensorboard

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/runtime/host/tensorboard/eventtest"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// files are the names in a folder, sorted.
func files(t *testing.T, dir string) (out []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		out = append(out, filepath.Join(dir, f.Name()))
	}
	return out
}

// clock returns a clock that advances by a quarter of a second at each reading.
func clock() func() time.Time {
	now := time.Unix(1700000000, 0)
	return func() time.Time {
		now = now.Add(250 * time.Millisecond)
		return now
	}
}

// TestWriter decodes the file of a training, and that of a resumed one.
func TestWriter(t *testing.T) {
	golden.Run(t, "testdata/events.txtar", func(t *testing.T, a *golden.Archive) {
		dir := filepath.Join(t.TempDir(), "new", "runs")
		w, err := create(dir, 1, clock())
		if err != nil {
			t.Fatal(err)
		}
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		check(w.Histogram(0, "parameters/w", HistogramOf(tensor.Of([]float32{-1, 0, 0.5, 1, float32(math.NaN())}, 5))))
		check(w.Scalars(1, Scalar{"loss/train", 0.5}, Scalar{"learning_rate", 1e-3}))
		check(w.Scalars(300, Scalar{"loss/train", 0.25}))
		check(w.Close())
		w, err = create(dir, 200, clock())
		check(err)
		check(w.Scalars(200, Scalar{"loss/train", math.Inf(1)}))
		check(w.Close())
		list := files(t, dir)
		if len(list) != 2 || !strings.Contains(list[0], "events.out.tfevents.1700000000.") || !strings.Contains(list[1], "events.out.tfevents.1700000001.") {
			t.Fatalf("the files are %q, want one behind the other", list)
		}
		a.Check("out/first", eventtest.Text(t, list[0]))
		a.Check("out/resumed", eventtest.Text(t, list[1]))
	})
}

// TestChecksum compares with the check value of CRC-32C, masked as TensorFlow does.
func TestChecksum(t *testing.T) {
	const sum = 0xe3069283
	if got, want := maskedSum([]byte("123456789")), uint32((sum>>15|sum<<17)&0xffffffff+0xa282ead8); got != want {
		t.Errorf("got %#x, want %#x", got, want)
	}
}

// TestFlush checks that numbers reach a reader while the file is open, but are not flushed individually.
func TestFlush(t *testing.T) {
	now := time.Unix(1700000000, 0)
	w, err := create(t.TempDir(), 1, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	seen := func() int { return strings.Count(eventtest.Text(t, w.f.Name()), "simple_value") }
	for step := range 3 {
		if err := w.Scalars(step+1, Scalar{"loss", 1}); err != nil {
			t.Fatal(err)
		}
	}
	if n := seen(); n != 0 {
		t.Errorf("%d numbers are written at once, want none yet", n)
	}
	now = now.Add(flushEvery)
	if err := w.Scalars(4, Scalar{"loss", 1}); err != nil {
		t.Fatal(err)
	}
	if n := seen(); n != 4 {
		t.Errorf("a reader finds %d numbers, want 4", n)
	}
}

// TestHistogram counts each finite element once.
func TestHistogram(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, tt := range []struct {
		name    string
		in      *tensor.Tensor
		count   int
		buckets int
		low     float64
	}{
		{"floats", tensor.Of([]float32{3, 1, 2, inf, -inf}, 5), 3, buckets, 1},
		{"doubles", tensor.Of([]float64{-math.MaxFloat64, math.MaxFloat64}, 2), 2, 1, -math.MaxFloat64},
		{"one value", tensor.Of([]float32{0.1, 0.1}, 2), 2, 1, float64(float32(0.1))},
		{"half", tensor.Of([]tensor.F16{tensor.ToFloat16(1), tensor.ToFloat16(2)}, 2), 2, buckets, 1},
		{"bfloat16", tensor.Of([]tensor.BF16{tensor.ToBFloat16(1), tensor.ToBFloat16(2)}, 2), 2, buckets, 1},
	} {
		h := HistogramOf(tt.in)
		sum := 0.0
		for _, n := range h.Counts {
			sum += n
		}
		if h.Count != tt.count || sum != float64(tt.count) || len(h.Limits) != tt.buckets || len(h.Counts) != tt.buckets || h.Min != tt.low || !slices.IsSorted(h.Limits) {
			t.Errorf("%s: %+v", tt.name, h)
		}
	}
	for _, in := range []*tensor.Tensor{tensor.Of([]float32{}, 0), tensor.Of([]float32{inf}, 1), tensor.Of([]int64{1}, 1)} {
		if h := HistogramOf(in); h != nil {
			t.Errorf("%v has %+v, want nothing", in, h)
		}
	}
}
