package eval

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// constant returns an operand that is known.
func constant(t *tensor.Tensor) *ir.Value { return &ir.Value{Const: t} }

// TestPack: an operand gets the layout that package cpu documents, from a matrix or its transpose, also in 16 bits.
func TestPack(t *testing.T) {
	const k, n, panel = 3, 35, 32 // two panels, of which the second is not full
	b, transposed, want := make([]float32, k*n), make([]float32, k*n), make([]float32, 2*panel*k)
	for j := range n {
		for l := range k {
			x := float32(10*j + l)
			b[l*n+j], transposed[j*k+l] = x, x
			want[j/panel*panel*k+l*panel+j%panel] = x
		}
	}
	dims := []int{k, n}
	for name, p := range map[string]op.Packed{
		"a matrix":      {Value: constant(tensor.Of(b, k, n)), Packer: "PackB32", Dims: dims},
		"its transpose": {Value: constant(tensor.Of(transposed, n, k)), Packer: "PackB32T", Dims: dims},
	} {
		if got := tensor.Data[float32](Pack(p)); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		for _, half := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
			p.Elem = half
			if got := Pack(p); got.DType != half || got.Len() != len(want) {
				t.Errorf("%s as %v: got %v of %d elements", name, half, got.DType, got.Len())
			}
		}
	}
}

// TestPackTaps: each tap of 16 bits becomes taps of 8 bits, whose sum it is. They are in the places of its channel.
func TestPackTaps(t *testing.T) {
	w := []int16{100, -3, 250, -250} // two channels of two taps
	const channels, taps, parts = 2, 2, 2
	got := tensor.Data[int8](Pack(op.Packed{Value: constant(tensor.Of(w, channels, taps)), Packer: "PackTaps8", Dims: []int{channels, taps, parts}}))
	var sums [channels]int
	for at, v := range got {
		c := at % 16 / 4 // four taps of a channel are adjacent
		if c < channels {
			sums[c] += int(v)
		} else if v != 0 {
			t.Errorf("byte %d of no channel is %d", at, v)
		}
	}
	if want := [channels]int{97, 0}; sums != want {
		t.Errorf("the taps of the channels add to %v, want %v", sums, want)
	}
}

// TestDerive: what is made of a packed operand has the size that the maker's documentation gives.
func TestDerive(t *testing.T) {
	const depth, filters = 8, 32
	w := constant(tensor.New(tensor.Float32, filters, depth, 3, 3))
	pack := op.Packed{Value: w, Packer: "PackConv32", Dims: []int{filters, depth, 9, 1}}
	got := derive(op.Derived{Packed: pack, Maker: "WinogradFilters32", Sizes: []int{depth, filters}})
	if got.DType != tensor.Float32 || got.Len() != 36*depth*filters {
		t.Errorf("got %v of %d elements, want %d", got.DType, got.Len(), 36*depth*filters)
	}
}
