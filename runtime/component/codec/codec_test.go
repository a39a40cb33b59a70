package codec

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

type coder interface {
	Encode(tensor.Dense[float32]) (tensor.Dense[uint8], error)
	Decode(tensor.Dense[uint8]) (tensor.Dense[float32], error)
}

func TestRoundTrip(t *testing.T) {
	x := tensor.DenseOf([]float32{0, 1, -2.5, 1000, -0.001, 3}, 2, 3)
	for _, c := range []struct {
		name string
		coder
		off float64 // the maximum error
	}{{"float16", Float16{}, 0.5}, {"int8", Int8{}, 1000.0 / 254}} {
		b, err := c.Encode(x)
		if err != nil {
			t.Fatal(err)
		}
		y, err := c.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if len(y.Shape) != 2 || y.Shape[0] != 2 || y.Shape[1] != 3 {
			t.Fatalf("%s: shape %v, want [2 3]", c.name, y.Shape)
		}
		for i, v := range x.Data {
			if d := math.Abs(float64(v) - float64(y.Data[i])); !(d <= c.off) {
				t.Errorf("%s: %v becomes %v", c.name, v, y.Data[i])
			}
		}
		for n := range b.Data {
			if _, err := c.Decode(tensor.DenseOf(b.Data[:n], n)); err == nil {
				t.Errorf("%s: the first %d bytes are accepted", c.name, n)
			}
		}
	}
	if _, err := (Int8{}).Encode(tensor.DenseOf([]float32{float32(math.NaN())}, 1)); err == nil {
		t.Error("NaN is encoded")
	}
}

// TestManyAxes: the shape of a tensor may take more bytes than its elements.
func TestManyAxes(t *testing.T) {
	shape := slices.Repeat([]int{1}, tensor.MaxRank)
	for _, c := range all {
		codec := c.create()
		b, err := codec.Encode(tensor.DenseOf([]float32{1}, shape...))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if x, err := codec.Decode(b); err != nil || !slices.Equal(x.Shape, shape) {
			t.Errorf("%s: the shape becomes %v (%v)", c.name, x.Shape, err)
		}
	}
}

// FuzzDecode decodes arbitrary bytes.
func FuzzDecode(f *testing.F) {
	for _, c := range all {
		b, _ := c.create().Encode(tensor.DenseOf([]float32{1, 2}, 2))
		f.Add(b.Data)
	}
	f.Add([]byte{3, 0xff, 0xff, 0xff, 0xff, 7, 0xff, 0xff, 0xff, 0xff, 7, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, c := range all {
			x, err := c.create().Decode(tensor.DenseOf(b, len(b)))
			if n, _ := tensor.NumElements(x.Shape); err == nil && (n != len(x.Data) || n > c.most*(1+len(b))) {
				t.Fatalf("%s: %d elements of shape %v from %d bytes", c.name, len(x.Data), x.Shape, len(b))
			}
		}
	})
}
