package codec

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// finite reports whether all elements are.
func finite(x []float32) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// TestExtremes: what is finite stays finite through each codec: zeros of both signs, denormals, the largest numbers, one element and
// none; and comes back with its shape.
func TestExtremes(t *testing.T) {
	const most float32 = math.MaxFloat32
	for _, c := range all {
		for _, x := range [][]float32{
			nil, {0}, {float32(math.Copysign(0, -1))}, {math.SmallestNonzeroFloat32}, {-math.SmallestNonzeroFloat32, 0}, {0x1p-126}, {0x1p-125, -0x1p-149},
			{1}, {-1}, {most}, {-most}, {most, -most, 0}, {most, math.SmallestNonzeroFloat32}, {0x1p127}, {65504, -65504},
		} {
			if c.off == nil && len(x) > 0 && math.Abs(float64(x[0])) > 0x1p64 {
				if _, err := c.create().Encode(tensor.DenseOf(x, len(x))); err == nil {
					t.Errorf("%s: %v is taken, to whose error nothing can be added", c.name, x)
				}
				continue
			}
			for _, shape := range [][]int{{len(x)}, {len(x), 1}, {1, len(x), 1}} {
				y := through(t, c.create(), tensor.DenseOf(x, shape...))
				if len(y.Shape) != len(shape) || len(y.Data) != len(x) {
					t.Errorf("%s: %v of shape %v comes back with shape %v", c.name, x, shape, y.Shape)
				}
				if !finite(y.Data) {
					t.Errorf("%s: %v becomes %v", c.name, x, y.Data)
				}
			}
		}
	}
}

// TestFeedbackDoesNotOverflow: the accumulated error of any number of the largest values stays finite, and is sent later.
func TestFeedbackDoesNotOverflow(t *testing.T) {
	for _, c := range all {
		k, ok := c.create().(stateful)
		if !ok {
			continue
		}
		n := 200
		x := make([]float32, n)
		for i := range x {
			x[i] = 0x1p64 * float32(1-i%2*2)
		}
		for range 2000 {
			b, err := k.Encode(tensor.DenseOf(x, n))
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if y, err := k.Decode(b); err != nil || !finite(y.Data) {
				t.Fatalf("%s: large values become %v (%v)", c.name, y.Data[:4], err)
			}
			if !finite(leftOf(k)) {
				t.Fatalf("%s: the error becomes infinite", c.name)
			}
		}
		for range 400 { // the error is sent, bit by bit
			b, err := k.Encode(tensor.DenseOf(make([]float32, n), n))
			if err != nil {
				t.Fatalf("%s: zeros are refused after large values: %v", c.name, err)
			}
			if y, err := k.Decode(b); err != nil || !finite(y.Data) {
				t.Fatalf("%s: zeros become %v (%v)", c.name, y.Data[:4], err)
			}
		}
	}
}

// TestTinyFraction: the smallest fraction of a few elements is one element, never none, and everything is sent in time.
func TestTinyFraction(t *testing.T) {
	for _, n := range []int{1, 2, 3, 99, 1000} {
		for name, c := range map[string]stateful{"top k": &TopK{Fraction: 1e-6}, "random k": &RandomK{Fraction: 1e-6}} {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(i + 1)
			}
			y := through(t, c, tensor.DenseOf(x, n))
			sent := 0
			for _, v := range y.Data {
				if v != 0 {
					sent++
				}
			}
			if sent != 1 {
				t.Errorf("%s: %d of %d elements are sent, want 1", name, sent, n)
			}
			if name == "top k" && y.Data[n-1] != float32(n) {
				t.Errorf("%s: %v of %d is sent, want the largest", name, y.Data, n)
			}
		}
	}
	for _, f := range []float64{-0.1, 1.1, 1e-7, math.NaN(), math.Inf(1), math.SmallestNonzeroFloat64} {
		if (&TopK{Fraction: f}).Open(runtime.Env{}) == nil || (&RandomK{Fraction: f}).Open(runtime.Env{}) == nil || (&Sketch{Fraction: f}).Open(runtime.Env{}) == nil {
			t.Errorf("a fraction of %v is taken", f)
		}
	}
}

// TestHostileIndices: indices are distances above 0, so none comes twice or out of order; those beyond the tensor are refused, also
// where their sum overflows.
func TestHostileIndices(t *testing.T) {
	c := &TopK{Fraction: 0.5}
	encoded := func(gaps ...uint64) tensor.Dense[uint8] {
		b := append(appendShape(nil, []int{4}), make([]byte, 8)...)
		for _, g := range gaps {
			b = binary.AppendUvarint(b, g)
		}
		return tensor.DenseOf(b, len(b))
	}
	for _, x := range []struct {
		gaps []uint64
		ok   bool
	}{
		{[]uint64{0, 0}, true}, {[]uint64{3, 0}, false}, {[]uint64{2, 0}, true}, {[]uint64{0, 2}, true}, {[]uint64{0, 3}, false}, {[]uint64{4, 0}, false},
		{[]uint64{1, math.MaxUint64}, false}, {[]uint64{math.MaxUint64, 1}, false}, {[]uint64{1 << 63, 1 << 63}, false}, {[]uint64{0}, false}, {[]uint64{0, 0, 0}, false}, {nil, false},
	} {
		if _, err := c.Decode(encoded(x.gaps...)); (err == nil) != x.ok {
			t.Errorf("distances %v: %v", x.gaps, err)
		}
	}
}

// TestHostileShapes: a few bytes that claim a large tensor are refused before it is allocated, by all codecs.
func TestHostileShapes(t *testing.T) {
	for _, c := range all {
		for _, shape := range [][]int{{math.MaxInt32}, {math.MaxInt32, math.MaxInt32}, {1 << 16, 1 << 16, 1 << 16, 1 << 16}, {0, math.MaxInt32}} {
			for _, rest := range []int{0, 1, 5, 64} {
				b := append(appendShape(nil, shape), make([]byte, rest)...)
				if x, err := c.create().Decode(tensor.DenseOf(b, len(b))); err == nil && len(x.Data) > 0 {
					t.Errorf("%s: %d bytes become %d elements", c.name, len(b), len(x.Data))
				}
			}
		}
	}
}

// TestMutatedBytes: any change of encoded bytes gives an error or a finite-sized tensor of the shape that the bytes claim, never a panic.
func TestMutatedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, c := range all {
		b, err := c.create().Encode(tensor.DenseOf(random(r, 300), 3, 100))
		if err != nil {
			t.Fatal(err)
		}
		for range 2000 {
			m := append([]byte(nil), b.Data...)
			for range 1 + r.IntN(3) {
				m[r.IntN(len(m))] = byte(r.Uint32())
			}
			m = m[:len(m)-r.IntN(2)*r.IntN(len(m))]
			x, err := c.create().Decode(tensor.DenseOf(m, len(m)))
			if n, bad := tensor.NumElements(x.Shape); err == nil && (bad != nil || n != len(x.Data)) {
				t.Fatalf("%s: shape %v with %d elements", c.name, x.Shape, len(x.Data))
			}
		}
	}
}
