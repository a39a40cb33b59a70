package elem

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestNames shows the names of sets in messages.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		set  Set
		want string
	}{
		{Floats, "a float"},
		{Indices, "int32 or int64"},
		{Bools.With(Strings), "bool or string"},
		{Numbers, "a number"},
	} {
		if got := c.set.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestHas tests types at the edges of sets.
func TestHas(t *testing.T) {
	for _, c := range []struct {
		set  Set
		elem tensor.DType
		want bool
	}{
		{Floats, tensor.BFloat16, true},
		{Floats, tensor.Float8E5M2, false},
		{FloatsOr8, tensor.Float8E5M2, true},
		{Integers, tensor.Uint64, true},
		{Integers, tensor.Int4, false},
		{Quantized, tensor.Int4, true},
		{NotComplex, tensor.Complex64, false},
		{Any, tensor.Complex64, true},
		{Any, tensor.Undefined, false},
		{Any, 200, false},
	} {
		if c.set.Has(c.elem) != c.want {
			t.Errorf("%s has %s: %v, want %v", c.set, c.elem, !c.want, c.want)
		}
	}
}

// TestTakes: a set contains tensor types only.
func TestTakes(t *testing.T) {
	if Floats.Takes(ir.TensorOf(tensor.Int64)) || !Floats.Takes(ir.TensorOf(tensor.Float32)) || !Floats.Takes(ir.SequenceOf(ir.TensorOf(tensor.Int64))) {
		t.Error("a float is taken for something else")
	}
}

// TestCheckAttr checks an attribute's element type against a set of types.
func TestCheckAttr(t *testing.T) {
	if err := Floats.CheckAttr("dtype", tensor.Float64); err != nil {
		t.Error(err)
	}
	want := "dtype is int64, want a float"
	if err := Floats.CheckAttr("dtype", tensor.Int64); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
