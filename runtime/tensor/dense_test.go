package tensor

import (
	"math"
	"slices"
	"testing"
)

// shares returns how many references the memory of a tensor has.
func shares[T Element](d Dense[T]) int {
	if d.Memory() == nil {
		return 0
	}
	return int(d.Memory().shares.Load())
}

// TestDenseReferences: a large value is shared by those who set it, each of which holds one reference; a copy of the Dense
// holds none, so that it cannot give one away.
func TestDenseReferences(t *testing.T) {
	x := NewDense[float32](Large)
	x.Data[0] = 7
	var a, b Dense[float32]
	a.Set(x)
	b.Set(a)
	if &a.Data[0] != &x.Data[0] || &b.Data[0] != &x.Data[0] || shares(x) != 3 {
		t.Errorf("the value has %d references, want 3 to one memory", shares(x))
	}
	borrowed := b
	borrowed.Reset()
	if shares(x) != 3 || b.Len() != Large {
		t.Errorf("with one who borrowed it gone there are %d references, want 3", shares(x))
	}
	b.Reset()
	b.Reset()
	if shares(x) != 2 || b.Len() != 0 {
		t.Errorf("with one holder gone there are %d references, want 2", shares(x))
	}
	a.Resize(Large)
	if shares(x) != 1 || &a.Data[0] == &x.Data[0] {
		t.Errorf("what is written is shared with %d others", shares(x)-1)
	}
}

// TestDenseCopies: a value that is not large is copied into memory that is used again, and never shared.
func TestDenseCopies(t *testing.T) {
	x := NewDense[float32](4)
	copy(x.Data, []float32{1, 2, 3, 4})
	var d Dense[float32]
	d.Set(x)
	first := &d.Data[0]
	x.Data[0] = 9
	if d.Data[0] != 1 || shares(d) != 0 {
		t.Errorf("the copy is %v, with %d references", d.Data, shares(d))
	}
	d.Set(DenseOf([]float32{5, 6}, 1, 2))
	if &d.Data[0] != first || !slices.Equal(d.Data, []float32{5, 6}) || !slices.Equal(d.Shape, []int{1, 2}) {
		t.Errorf("got %v of %v, want [5 6] in the memory of the value before", d.Data, d.Shape)
	}
	clone := d.Clone()
	d.Data[0] = 0
	if clone.Data[0] != 5 || !slices.Equal(clone.Shape, []int{1, 2}) {
		t.Errorf("the clone is %v of %v", clone.Data, clone.Shape)
	}
}

// TestDenseReset: a large value that no other has is not kept for later.
func TestDenseReset(t *testing.T) {
	large, small := DenseOf(make([]uint8, Large), Large), DenseOf(make([]uint8, Large-1), Large-1)
	large.Reset()
	small.Reset()
	if cap(large.Data) != 0 || cap(small.Data) != Large-1 {
		t.Errorf("%d bytes of a large value are kept, and %d of a small one", cap(large.Data), cap(small.Data))
	}
	var text Dense[string]
	if text.Make(Large); shares(text) != 0 || text.Len() != Large {
		t.Errorf("%d strings have %d references, want none", text.Len(), shares(text))
	}
}

// TestLend: a tensor that borrows holds no reference; one that is given away keeps the memory for good.
func TestLend(t *testing.T) {
	x := NewDense[float32](2, Large)
	lent := x.Lend()
	if back := Lent[float32](lent); shares(x) != 1 || &back.Data[0] != &x.Data[0] || !slices.Equal(back.Shape, x.Shape) || back.Memory() != x.Memory() {
		t.Errorf("%d references, and %v comes back", shares(x), back.Shape)
	}
	given := x.Tensor()
	if !lent.IsLent() || given.IsLent() {
		t.Error("a tensor that borrows is told from one that keeps its memory")
	}
	if shares(x) != 2 || &Data[float32](given)[0] != &x.Data[0] {
		t.Errorf("%d references for one who keeps the value, want 2", shares(x))
	}
}

// TestDims compares the arithmetic of sizes with that of the floor of a quotient.
func TestDims(t *testing.T) {
	for a := -7; a <= 7; a++ {
		for b := -3; b <= 3; b++ {
			if b == 0 {
				continue
			}
			floor := int(math.Floor(float64(a) / float64(b)))
			if got := FloorDiv(a, b); got != floor {
				t.Errorf("FloorDiv(%d, %d) is %d, want %d", a, b, got, floor)
			}
			if got := Mod(a, b); got != a-b*floor {
				t.Errorf("Mod(%d, %d) is %d, want %d", a, b, got, a-b*floor)
			}
		}
	}
	for _, c := range [][3]int{{1, 1, 1}, {1, 5, 5}, {5, 1, 5}, {5, 5, 5}, {0, 1, 0}, {1, 0, 0}} {
		if got := BroadcastDim(c[0], c[1]); got != c[2] {
			t.Errorf("BroadcastDim(%d, %d) is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// TestFromFloat: a number is the same in each element type that holds it.
func TestFromFloat(t *testing.T) {
	for _, d := range []DType{Float32, Float64, Float16, BFloat16, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Bool} {
		one, want := FromFloat(d, 1), New(d, 1)
		if one.DType != d || len(one.Shape) != 0 || one.Len() != 1 {
			t.Errorf("1 as %v is %v", d, one)
		}
		want.SetItem(0, one)
		if !slices.Equal(want.Bytes(), one.Bytes()) || slices.Max(one.Bytes()) == 0 {
			t.Errorf("1 as %v is % x, and % x as an element", d, one.Bytes(), want.Bytes())
		}
	}
	for d, want := range map[DType]string{Float16: "\x00\x3c", BFloat16: "\x80\x3f", Int16: "\x01\x00", Bool: "\x01"} {
		if got := FromFloat(d, 1).Bytes(); string(got) != want && !BigEndian {
			t.Errorf("1 as %v is % x, want % x", d, got, want)
		}
	}
}

// TestItem: an element is taken out and put back, whatever its type.
func TestItem(t *testing.T) {
	for _, x := range []*Tensor{Of([]int16{1, 2, 3}, 3), Of([]string{"a", "b", "c"}, 3), Of([]complex128{1, 2i, 3}, 3)} {
		y := x.Clone()
		item := x.Item(1)
		if item.Len() != 1 || len(item.Shape) != 0 || item.DType != x.DType {
			t.Errorf("element 1 of %v is %v", x, item)
		}
		y.SetItem(2, item)
		if !Equal(y.Item(2), item) || !Equal(y.Item(0), x.Item(0)) || !Equal(x.Item(2), x.Clone().Item(2)) || Equal(x, y) {
			t.Errorf("%v with element 1 as element 2 is %v", x, y)
		}
	}
}

// TestNarrow: numbers are narrowed in place, from the first to the last.
func TestNarrow(t *testing.T) {
	x := []float64{1.5, -2, 1e300, 0.25}
	y := Narrow(x)
	for i := range x {
		y[i] = float32(x[i])
	}
	if want := []float32{1.5, -2, float32(math.Inf(1)), 0.25}; !slices.Equal(y, want) {
		t.Errorf("got %v, want %v", y, want)
	}
}
