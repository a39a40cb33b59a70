package values

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestTexts writes string tensors and reads them back.
func TestTexts(t *testing.T) {
	for _, x := range []tensor.Dense[string]{
		{}, tensor.DenseOf([]string{}, 0, 3), tensor.DenseOf([]string{"a", "", "grün", "b\x00c"}, 2, 2),
	} {
		b := AppendDenseStrings(nil, x)
		var y tensor.Dense[string]
		r := NewFields(b)
		if ReadDenseStrings(r, &y); r.End() != nil || !slices.Equal(x.Data, y.Data) || !slices.Equal(x.Shape, y.Shape) {
			t.Errorf("%q %v is read as %q %v: %v", x.Data, x.Shape, y.Data, y.Shape, r.End())
		}
		for i := range b {
			r := NewFields(b[:i])
			if ReadDenseStrings(r, &y); r.End() == nil {
				t.Errorf("%d of %d bytes are a tensor", i, len(b))
			}
		}
	}
}

// TestTakeTexts requires the number of strings to equal the sizes, and checks that no more is allocated than
// the payload can contain.
func TestTakeTexts(t *testing.T) {
	payload := AppendStrings(nil, []string{"one", "", "three"})
	for _, c := range []struct {
		dims    []uint64
		payload []byte
		ok      bool
	}{
		{[]uint64{3}, payload, true},
		{[]uint64{2}, payload, false},
		{[]uint64{4}, payload, false},
		{[]uint64{1 << 40}, payload, false},
		{[]uint64{1 << 16}, []byte{1, 2, 3}, false},
		{nil, payload, false},
		{[]uint64{1}, []byte{200, 1, 'x'}, false},
	} {
		var x tensor.Dense[string]
		err := TakeDenseStrings(&x, &wire.SlotFill{Payload: c.payload, Dims: c.dims}, Open)
		if (err == nil) != c.ok || c.ok && !slices.Equal(x.Data, []string{"one", "", "three"}) {
			t.Errorf("%v of %q is %q, error %v", c.dims, c.payload, x.Data, err)
		}
	}
}
