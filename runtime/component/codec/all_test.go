package codec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// sized is a codec that reports its encoded size.
type sized interface {
	coder
	EncodedBytes(elements int) int
}

// all lists the codecs, the maximum number of elements per encoded byte, and their precision: the maximum error
// of an element, given the values that share its scale; nil for codecs that leave out much.
var all = []struct {
	name   string
	create func() sized
	most   int
	shares int // elements that share a scale; 0: all
	off    func(x, largest float64) float64
}{
	{"float16", func() sized { return Float16{} }, 1, 1, func(x, _ float64) float64 { return math.Abs(x)*0x1p-11 + 0x1p-24 }},
	{"bfloat16", func() sized { return BFloat16{} }, 1, 1, func(x, _ float64) float64 { return math.Abs(x) * 0x1p-8 }},
	{"int8", func() sized { return Int8{} }, 1, 0, func(_, largest float64) float64 { return largest / 127 * 0.50001 }},
	{"channels", func() sized { return Channels{} }, 1, 0, func(_, largest float64) float64 { return largest / 127 * 0.50001 }},
	{"8 bits", func() sized { return Blocks{} }, 1, 256, func(_, largest float64) float64 { return largest / 127 * 0.50001 }},
	{"4 bits", func() sized { return Blocks{Bits: 4, Size: 32} }, 2, 32, func(_, largest float64) float64 { return largest / 7 * 0.50001 }},
	{"sign", func() sized { return &Sign{Size: 64} }, 8, 64, nil},
	{"top k", func() sized { return &TopK{Fraction: 0.05} }, 20, 0, nil},
	{"random k", func() sized { return &RandomK{Fraction: 0.05} }, 20, 0, nil},
	{"sketch", func() sized { return &Sketch{Fraction: 0.05, Rows: 3, Width: 2} }, 1, 0, nil},
}

// random returns n values of different sizes.
func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * math.Exp(r.NormFloat64()))
	}
	return x
}

// Each codec has the precision of its steps, for any number of elements.
func TestPrecise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range all {
		for n := range 600 {
			if c.off == nil {
				break
			}
			x := random(r, n)
			y := through(t, c.create(), tensor.DenseOf(x, n))
			run := n
			if c.shares > 0 {
				run = c.shares
			}
			for i := range x {
				from, largest := i/run*run, 0.0
				for _, v := range x[from:min(from+run, n)] {
					largest = max(largest, math.Abs(float64(v)))
				}
				if d := math.Abs(float64(x[i] - y.Data[i])); !(d <= c.off(float64(x[i]), largest)) {
					t.Fatalf("%s: element %d of %d, %v, becomes %v: more than %v off", c.name, i, n, x[i], y.Data[i], c.off(float64(x[i]), largest))
				}
			}
		}
	}
}

// through returns a value after encoding and decoding.
func through(t *testing.T, c coder, x tensor.Dense[float32]) tensor.Dense[float32] {
	t.Helper()
	b, err := c.Encode(x)
	if err != nil {
		t.Fatal(err)
	}
	y, err := c.Decode(b)
	if err != nil || !slices.Equal(y.Shape, x.Shape) {
		t.Fatalf("shape %v (%v), want %v", y.Shape, err, x.Shape)
	}
	return y
}

// The step of a channel depends only on its own elements.
func TestChannels(t *testing.T) {
	x := tensor.DenseOf([]float32{1000, -500, 1, 0.01, 0.02, -0.03}, 2, 3)
	y := through(t, Channels{}, x)
	for i, v := range x.Data {
		step := []float64{1000.0 / 127, 0.03 / 127}[i/3]
		if !(math.Abs(float64(v-y.Data[i])) <= step*0.50001) {
			t.Errorf("%v becomes %v", v, y.Data[i])
		}
	}
}

// An encoded vector has the reported size, and truncated or extended ones are not decoded. Values that are not
// finite are refused if they would affect others.
func TestBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range all {
		for _, n := range []int{0, 1, 2, 63, 64, 65, 1000} {
			x := tensor.DenseOf(random(r, n), n)
			b, err := c.create().Encode(x)
			if err != nil {
				t.Fatal(err)
			}
			if want := c.create().EncodedBytes(n); len(b.Data) != want && (c.name != "top k" || len(b.Data) > want*11/10+1) {
				t.Errorf("%s: %d elements are %d bytes, want %d", c.name, n, len(b.Data), want)
			}
			for k := range b.Data {
				if _, err := c.create().Decode(tensor.DenseOf(b.Data[:k], k)); err == nil {
					t.Errorf("%s: the first %d of %d bytes are accepted", c.name, k, len(b.Data))
				}
			}
			if _, err := c.create().Decode(tensor.DenseOf(append(b.Data, 0), len(b.Data)+1)); err == nil {
				t.Errorf("%s: a byte too many is accepted", c.name)
			}
		}
		if c.shares == 1 {
			continue // an element is encoded alone
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if _, err := c.create().Encode(tensor.DenseOf([]float32{1, float32(bad)}, 2)); err == nil {
				t.Errorf("%s: %v is encoded", c.name, bad)
			}
		}
	}
}

// stateful is a codec with error feedback.
type stateful interface {
	sized
	runtime.Component
}

// The sum of the sent and the retained values equals that of the inputs, over many values and restarts, and the
// retained part does not grow without limit.
func TestFeedback(t *testing.T) {
	const n = 500
	for name, create := range map[string]func() stateful{
		"sign": func() stateful { return &Sign{Size: 64} }, "top k": func() stateful { return &TopK{Fraction: 0.1} },
		"random k": func() stateful { return &RandomK{Fraction: 0.1} },
		"sketch":   func() stateful { return &Sketch{Fraction: 0.1} },
	} {
		r := rand.New(rand.NewPCG(5, 6))
		c := create()
		var wanted, sent [n]float64
		for range 200 {
			x := random(r, n)
			y := through(t, c, tensor.DenseOf(x, n))
			for i := range x {
				wanted[i] += float64(x[i])
				sent[i] += float64(y.Data[i])
			}
			c = statetest.Restart(t, c, create())
		}
		for i, left := range leftOf(c) {
			if d := wanted[i] - sent[i]; !(math.Abs(d-float64(left)) <= 1e-3) {
				t.Fatalf("%s: %v of element %d is left out, it says %v", name, d, i, left)
			}
			if !(math.Abs(float64(left)) <= 200) {
				t.Errorf("%s: %v of element %d is left out after 200 values", name, left, i)
			}
		}
	}
}

func leftOf(c stateful) []float32 {
	switch c := c.(type) {
	case *Sign:
		return c.left.Data
	case *TopK:
		return c.left.Data
	case *Sketch:
		return c.left.Data
	}
	return c.(*RandomK).left.Data
}

// A sketch finds elements that are much larger than the others. Where none are, less is left out than there was.
func TestSketch(t *testing.T) {
	const n = 4000
	r := rand.New(rand.NewPCG(9, 1))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(0.01 * r.NormFloat64())
	}
	for _, i := range []int{3, 500, 3999} {
		x[i] = 10
	}
	y := through(t, &Sketch{Width: 4}, tensor.DenseOf(x, n))
	for i, v := range y.Data {
		if !(math.Abs(float64(v-x[i])) <= 0.5) {
			t.Errorf("element %d, %v, becomes %v", i, x[i], v)
		}
	}
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	before, left := 0.0, 0.0
	for i, v := range through(t, &Sketch{}, tensor.DenseOf(x, n)).Data {
		before += float64(x[i]) * float64(x[i])
		left += float64(x[i]-v) * float64(x[i]-v)
	}
	if left > before {
		t.Errorf("the square of the error is %v, and that of the value %v", left, before)
	}
}

// TopK sends exactly the elements that sorting puts first; equal ones in their order.
func TestTopK(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 300 {
		x := random(r, n)
		for i := range x {
			if r.IntN(2) == 0 {
				x[i] = float32(r.IntN(5) - 2)
			}
		}
		c := &TopK{Fraction: 0.2}
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		size := func(i int) float32 { return max(x[i], -x[i]) }
		slices.SortStableFunc(order, func(i, j int) int {
			switch {
			case size(i) > size(j):
				return -1
			case size(i) < size(j):
				return 1
			}
			return 0
		})
		want := make([]float32, n)
		for _, i := range order[:c.kept(n)] {
			want[i] = x[i]
		}
		if got := through(t, c, tensor.DenseOf(x, n)); !slices.Equal(got.Data, want) {
			t.Fatalf("%v\nbecomes %v\nwant %v", x, got.Data, want)
		}
	}
}

// RandomK sends the configured number of elements, different ones each time, and in the long run each equally
// often.
func TestRandomK(t *testing.T) {
	const n, times = 200, 2000
	c := &RandomK{Fraction: 0.1}
	if err := c.Open(runtime.Env{Seed: 1}); err != nil {
		t.Fatal(err)
	}
	var counts [n]int
	for range times {
		ones := make([]float32, n)
		for i := range ones {
			ones[i] = 1
		}
		sent := 0
		for i, v := range through(t, c, tensor.DenseOf(ones, n)).Data {
			if v != 0 {
				counts[i]++
				sent++
			}
		}
		if sent != n/10 {
			t.Fatalf("%d elements were sent, want %d", sent, n/10)
		}
	}
	for i, k := range counts {
		if !(math.Abs(float64(k-times/10)) <= 6*math.Sqrt(times*0.1*0.9)) {
			t.Errorf("element %d was sent %d times of %d, want about %d", i, k, times, times/10)
		}
	}
}

// A few bytes that claim to be a large tensor are refused before anything is allocated.
func TestClaims(t *testing.T) {
	for _, c := range all {
		for _, size := range []int{1 << 20, 1 << 30, math.MaxInt32} {
			b := append(appendShape(nil, []int{size}), make([]byte, 64)...)
			if _, err := c.create().Decode(tensor.DenseOf(b, len(b))); err == nil {
				t.Errorf("%s: %d bytes become %d elements", c.name, len(b), size)
			}
		}
	}
}

// An invalid configuration is an error before anything runs.
func TestOpen(t *testing.T) {
	for _, c := range []interface{ Open(runtime.Env) error }{
		&Blocks{Bits: 5}, &Blocks{Size: 3}, &Blocks{Size: -2}, &Sign{Size: 9}, &Sign{Size: -8},
		&TopK{Fraction: 2}, &TopK{Fraction: -1}, &RandomK{Fraction: math.NaN()},
		&Sketch{Rows: 2}, &Sketch{Rows: 17}, &Sketch{Width: -1}, &Sketch{Fraction: 2},
	} {
		if err := c.Open(runtime.Env{}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// Each is ns for one million elements.
func Benchmark(b *testing.B) {
	x := tensor.DenseOf(random(rand.New(rand.NewPCG(1, 2)), 1<<20), 1<<20)
	for _, c := range all {
		coder := c.create()
		encoded, err := coder.Encode(x)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/encode", func(b *testing.B) {
			b.SetBytes(4 << 20)
			for b.Loop() {
				if _, err := coder.Encode(x); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/decode", func(b *testing.B) {
			b.SetBytes(4 << 20)
			for b.Loop() {
				if _, err := coder.Decode(encoded); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
