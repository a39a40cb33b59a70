package nn_test

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/dsl/nn"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// draw fills a tensor of the given shape.
func draw(t *testing.T, init nn.Initializer, seed int, shape ...int) []float32 {
	t.Helper()
	n, err := tensor.NumElements(shape)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, n)
	if err := init(x, shape, seed); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestInitializers compares mean, deviation and bounds of the drawn elements with the formulas of
// the papers. The weight is that of a convolution with 64 output channels, 32 input channels, and 9
// taps.
func TestInitializers(t *testing.T) {
	const in, out = 32 * 9, 64 * 9
	xavier, kaiming := math.Sqrt(2.0/(in+out)), math.Sqrt(2.0/in)
	for name, c := range map[string]struct {
		init      nn.Initializer
		mean, std float64
		low, high float64 // bounds of all elements
	}{
		"zeros":            {nn.Zeros(), 0, 0, 0, 0},
		"ones":             {nn.Ones(), 1, 0, 1, 1},
		"constant":         {nn.Constant(-3), -3, 0, -3, -3},
		"uniform":          {nn.Uniform(1, 3), 2, 2 / math.Sqrt(12), 1, 3},
		"normal":           {nn.Normal(2, 0.5), 2, 0.5, -1, 5},
		"truncated normal": {nn.TruncatedNormal(0, 1, -2, 2), 0, 0.879626, -2, 2},
		"one side":         {nn.TruncatedNormal(1, 2, 1, 100), 1 + 2*math.Sqrt(2/math.Pi), 2 * math.Sqrt(1-2/math.Pi), 1, 12},
		"xavier uniform":   {nn.XavierUniform(1), 0, xavier, -xavier * math.Sqrt(3), xavier * math.Sqrt(3)},
		"xavier normal":    {nn.XavierNormal(nn.Gain("tanh")), 0, xavier * 5 / 3, -1, 1},
		"kaiming uniform":  {nn.KaimingUniform(0), 0, kaiming, -kaiming * math.Sqrt(3), kaiming * math.Sqrt(3)},
		"kaiming normal":   {nn.KaimingNormal(1), 0, kaiming / math.Sqrt2, -1, 1},
	} {
		x := draw(t, c.init, 7, 64, 32, 3, 3)
		mean, std := 0.0, 0.0
		for _, v := range x {
			mean += float64(v) / float64(len(x))
		}
		for _, v := range x {
			std += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
		}
		std = math.Sqrt(std)
		off := 0.02*c.std + 1e-9 // a standard error of 18,432 elements is 0.007
		if math.Abs(mean-c.mean) > off || math.Abs(std-c.std) > off {
			t.Errorf("%s: mean %v and deviation %v, want %v and %v", name, mean, std, c.mean, c.std)
		}
		if low, high := slices.Min(x), slices.Max(x); float64(low) < c.low-1e-6 || float64(high) > c.high+1e-6 {
			t.Errorf("%s: from %v to %v, want from %v to %v", name, low, high, c.low, c.high)
		}
	}
}

// TestOrthogonal multiplies a weight by its own transpose.
func TestOrthogonal(t *testing.T) {
	for _, shape := range [][]int{{6, 20}, {20, 6}, {9, 9}, {4, 2, 3, 3}} {
		const gain = 1.5
		x := draw(t, nn.Orthogonal(gain), 3, shape...)
		rows := shape[0]
		cols := len(x) / rows
		at := func(i, k int) float64 { return float64(x[i*cols+k]) }
		n, width := rows, cols
		if rows > cols {
			n, width = cols, rows
			at = func(i, k int) float64 { return float64(x[k*cols+i]) }
		}
		for i := range n {
			for j := range n {
				sum, want := 0.0, 0.0
				for k := range width {
					sum += at(i, k) * at(j, k)
				}
				if i == j {
					want = gain * gain
				}
				if math.Abs(sum-want) > 1e-6 {
					t.Fatalf("%v: product of %d and %d is %v, want %v", shape, i, j, sum, want)
				}
			}
		}
	}
}

// TestSeeds tests that a seed always gives the same bits, also in later versions, and another seed others.
func TestSeeds(t *testing.T) {
	for name, c := range map[string]struct {
		init nn.Initializer
		want string
	}{
		"uniform":          {nn.Uniform(-1, 1), "699eebd5"},
		"normal":           {nn.Normal(0, 1), "f712fcc6"},
		"truncated normal": {nn.TruncatedNormal(0, 1, -2, 2), "aa89d881"},
		"xavier uniform":   {nn.XavierUniform(1), "a68cb9dd"},
		"xavier normal":    {nn.XavierNormal(1), "b72f7b70"},
		"kaiming uniform":  {nn.KaimingUniform(0), "c4cd41c1"},
		"kaiming normal":   {nn.KaimingNormal(0), "851251e4"},
		"orthogonal":       {nn.Orthogonal(1), "2a4e674d"},
	} {
		hash := func(seed int) string {
			sum := sha256.Sum256(fmt.Appendf(nil, "%x", draw(t, c.init, seed, 13, 17)))
			return fmt.Sprintf("%x", sum[:4])
		}
		if got := hash(1); got != c.want {
			t.Errorf("%s: the bits are %s, want %s", name, got, c.want)
		}
		if hash(2) == hash(1) {
			t.Errorf("%s: seeds 1 and 2 draw the same", name)
		}
	}
}

// TestInitializerMistakes shows the errors of impossible initializers.
func TestInitializerMistakes(t *testing.T) {
	for want, f := range map[string]func() error{
		"uniform from 2 to 1":            func() error { return nn.Uniform(2, 1)(nil, nil, 0) },
		"deviation is -1":                func() error { return nn.Normal(0, -1)(nil, nil, 0) },
		"between 2 and 1":                func() error { return nn.TruncatedNormal(0, 1, 2, 1)(nil, nil, 0) },
		"shape is [3], want 2 axes":      func() error { return nn.XavierUniform(1)(make([]float32, 3), []int{3}, 0) },
		"shape is [4], want 2 axes":      func() error { return nn.Orthogonal(1)(make([]float32, 4), []int{4}, 0) },
		"normal of standard deviation 0": func() error { return nn.TruncatedNormal(0, 0, 1, 2)(nil, nil, 0) },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
