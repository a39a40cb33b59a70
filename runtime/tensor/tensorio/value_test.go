package tensorio

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// values are sequences that cover every kind, nested and empty.
func values() []*tensor.Sequence {
	x, y := sample(tensor.Float32, 2), sample(tensor.Float32, 3, 1)
	return []*tensor.Sequence{
		{},
		{Elem: tensor.Float32, Items: []tensor.Value{x, y}},
		{Elem: tensor.String, Items: []tensor.Value{sample(tensor.String, 2)}},
		{Elem: tensor.Float32, Items: []tensor.Value{
			&tensor.Sequence{},
			&tensor.Sequence{Elem: tensor.Float32, Items: []tensor.Value{x}},
		}},
		{Elem: tensor.Float32, Items: []tensor.Value{
			&tensor.Optional{Value: y},
			&tensor.Optional{},
			&tensor.Optional{Value: &tensor.Sequence{Elem: tensor.Float32, Items: []tensor.Value{x}}},
		}},
		{Elem: tensor.Float32, Items: []tensor.Value{
			tensor.MapOf([]int64{3, -1}, []float32{0.25, 0.75}),
			tensor.MapOf([]int64{}, []float32{}),
		}},
		{Elem: tensor.String, Items: []tensor.Value{tensor.MapOf([]string{"a", ""}, []string{"x", "y"})}},
	}
}

// equal reports whether a and b are the same value.
func equal(a, b tensor.Value) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case *tensor.Tensor:
		b, ok := b.(*tensor.Tensor)
		return ok && tensor.Equal(a, b)
	case *tensor.Optional:
		b, ok := b.(*tensor.Optional)
		return ok && equal(a.Value, b.Value)
	case *tensor.Sequence:
		return equalSequences(a, b)
	case *tensor.Map:
		b, ok := b.(*tensor.Map)
		return ok && tensor.Equal(a.Keys, b.Keys) && tensor.Equal(a.Values, b.Values)
	}
	return false
}

func equalSequences(a *tensor.Sequence, v tensor.Value) bool {
	b, ok := v.(*tensor.Sequence)
	if !ok || a.Elem != b.Elem || len(a.Items) != len(b.Items) {
		return false
	}
	for i := range a.Items {
		if !equal(a.Items[i], b.Items[i]) {
			return false
		}
	}
	return true
}

// TestSequenceRoundTrips encodes and decodes sequences.
func TestSequenceRoundTrips(t *testing.T) {
	for i, want := range values() {
		got, name, err := DecodeSequence(AppendSequence(nil, "s", want))
		if err != nil || name != "s" || !equal(got, want) {
			t.Errorf("%d: %q %+v, %v", i, name, got, err)
		}
	}
}

// TestOptionalRoundTrips encodes and decodes optional values.
func TestOptionalRoundTrips(t *testing.T) {
	all := []*tensor.Optional{{}, {Value: sample(tensor.Int4, 3)}, {Value: &tensor.Optional{}}}
	for _, s := range values() {
		all = append(all, &tensor.Optional{Value: s})
	}
	for i, want := range all {
		got, name, err := DecodeOptional(AppendOptional(nil, "o", want))
		if err != nil || name != "o" || !equal(got, want) {
			t.Errorf("%d: %q %+v, %v", i, name, got, err)
		}
	}
}

// The meaning of the field numbers: elem_type 1 is a tensor, field 3 holds it.
func TestSequenceBytes(t *testing.T) {
	got := AppendSequence(nil, "", &tensor.Sequence{Elem: tensor.Int8, Items: []tensor.Value{tensor.Of([]int8{5})}})
	want := []byte{2 << 3, 1, 3<<3 | 2, 5, 2 << 3, 3, 9<<3 | 2, 1, 5}
	if !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	empty := AppendSequence(nil, "", &tensor.Sequence{Elem: tensor.Int8})
	if !bytes.Equal(empty, []byte{2 << 3, 1}) {
		t.Errorf("empty: %x", empty)
	}
}

// TestSequenceRefuses checks the errors for malformed sequences.
func TestSequenceRefuses(t *testing.T) {
	float := AppendTensor(nil, "", sample(tensor.Float32, 1))
	long := AppendTensor(nil, "", sample(tensor.Int64, 1))
	tensors := slices.Clip(appendMessage(nil, kindTensor.field(), float))
	deep := []byte{}
	for range maxDepth + 1 {
		deep = appendMessage(nil, kindSequence.field(), deep)
	}
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{appendMessage(tensors, kindTensor.field(), long), `sequence "": item 1 is int64, want float32`},
		{appendMessage(tensors, kindSequence.field(), nil), `sequence "": items are of kinds tensor and sequence, want one kind`},
		{appendInt(tensors, valueElemType, 5), `sequence "": items are of kind tensor, want optional as elem_type says`},
		{appendMessage(nil, kindSparseTensor.field(), nil), `kind is sparse tensor`},
		{appendMessage(nil, kindTensor.field(), nil), `sequence "": item 0: tensor "": data_type is 0`},
		{appendInt(nil, kindTensor.field(), 1), `tensor has wire type 0, want 2`},
		{deep, "nested more than 32 deep"},
	} {
		if _, _, err := DecodeSequence(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, _, err := DecodeOptional(append(tensors, tensors...)); err == nil || !strings.Contains(err.Error(), "holds 2 values, want at most one") {
		t.Errorf("optional of two: error %v", err)
	}
}

// FuzzDecodeSequence decodes arbitrary bytes; what is decoded must survive encoding.
func FuzzDecodeSequence(f *testing.F) {
	for _, s := range values() {
		f.Add(AppendSequence(nil, "s", s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, name, err := DecodeSequence(b)
		if err != nil {
			return
		}
		again, _, err := DecodeSequence(AppendSequence(nil, name, s))
		if err != nil || !equal(s, again) {
			t.Errorf("%+v came back as %+v, %v", s, again, err)
		}
	})
}
