package pipeline

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ports are a matrix with rows of three, and a list of bools.
var ports = []model.Port{
	{Name: "x", Type: "float32[batch,3]", Elem: tensor.Float32, Dims: []string{"batch", "3"}},
	{Name: "mask", Type: "bool[batch]", Elem: tensor.Bool, Dims: []string{"batch"}},
}

// body returns tensors as the body of a message.
func body(list ...*tensor.Tensor) []byte { return bytes.Join(encode(list), nil) }

// TestMessage writes and reads a message with tensors.
func TestMessage(t *testing.T) {
	x, mask := tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3), tensor.Of([]bool{true, false}, 2)
	var b bytes.Buffer
	if err := writeMessage(&b, forward, encode([]*tensor.Tensor{x, mask})...); err != nil {
		t.Fatal(err)
	}
	m, err := readMessage(&b)
	if err != nil || m.kind != forward {
		t.Fatalf("got %v, %v", m, err)
	}
	list, err := decode(m.body, ports)
	if err != nil || !tensor.Equal(list[0], x) || !tensor.Equal(list[1], mask) {
		t.Errorf("got %v, %v", list, err)
	}
}

// TestDecodeRefuses reads values that are none of the ports: each is refused with an error.
func TestDecodeRefuses(t *testing.T) {
	x, mask := tensor.Of([]float32{1, 2, 3}, 1, 3), tensor.Of([]bool{true}, 1)
	good := body(x, mask)
	for name, b := range map[string][]byte{
		"nothing":        nil,
		"one value":      body(x),
		"a third value":  body(x, mask, mask),
		"a wrong rank":   body(tensor.Of([]float32{1, 2, 3}, 3), mask),
		"a wrong size":   body(tensor.Of([]float32{1, 2}, 1, 2), mask),
		"no elements":    good[:3],
		"a large size":   append([]byte{2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 3}, good[3:]...),
		"no bool":        append(slices.Clone(good[:len(good)-1]), 7),
		"a cut off size": {2, 0x80},
	} {
		if list, err := decode(b, ports); !errors.Is(err, errMessage) {
			t.Errorf("%s: got %v, %v, want an error", name, list, err)
		}
	}
}

// FuzzMessage reads any bytes: they are a message of the ports, or an error.
func FuzzMessage(f *testing.F) {
	var b bytes.Buffer
	writeMessage(&b, forward, body(tensor.Of([]float32{1, 2, 3}, 1, 3), tensor.Of([]bool{true}, 1)))
	f.Add(b.Bytes())
	f.Add([]byte{0xff, 0xff, 0xff, 0x7f, 1, 2})
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := readMessage(bytes.NewReader(in))
		if err != nil {
			return
		}
		if list, err := decode(m.body, ports); err == nil && !bytes.Equal(body(list...), m.body) {
			// A size may be written in several ways; the elements may not.
			if again, err := decode(body(list...), ports); err != nil || !tensor.Equal(again[0], list[0]) {
				t.Errorf("read %v, and then %v, %v", list, again, err)
			}
		}
	})
}

// TestWholeStateRefuses adds variables that are none: each is refused before memory is allocated.
func TestWholeStateRefuses(t *testing.T) {
	for _, v := range []variable{
		{Name: "w", DType: 200, Shape: []int{1}},
		{Name: "w", DType: tensor.Float32, Shape: []int{-1}},
		{Name: "w", DType: tensor.Float32, Shape: []int{math.MaxInt, math.MaxInt}},
		{Name: "w", DType: tensor.Float32, Shape: []int{17}},
		{Name: "w", DType: tensor.String, Shape: []int{1}},
	} {
		if err := (&wholeState{}).add([]variable{v}, 64); !errors.Is(err, errMessage) {
			t.Errorf("%v: got %v, want an error", v, err)
		}
	}
}

// TestRows divides a batch into parts of about equal size, which together are the batch.
func TestRows(t *testing.T) {
	x := tensor.Of([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, 14)
	var parts []*tensor.Tensor
	from := 0
	for _, n := range sizes(7, 3) {
		p, err := rows(x, from, from+n, 7) // each example has two elements
		if err != nil || p.Len() != 2*n {
			t.Fatalf("%v, %v", p, err)
		}
		parts, from = append(parts, p), from+n
	}
	if len(parts) != 3 || !tensor.Equal(join(parts), x) {
		t.Errorf("parts %v are not the batch", parts)
	}
	if _, err := rows(x, 0, 1, 4); err == nil {
		t.Error("14 rows are divided among 4 examples")
	}
}
