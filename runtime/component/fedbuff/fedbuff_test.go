package fedbuff

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func vec(x ...float32) tensor.Dense[float32] { return tensor.DenseOf(x, len(x)) }

// begun is a buffer whose version 0 is a model.
func begun(t *testing.T, b *Buffer, model ...float32) *Buffer {
	t.Helper()
	if _, v, err := b.Current(vec(model...)); err != nil || v != 0 {
		t.Fatalf("version %d, %v", v, err)
	}
	return b
}

// current wants a version and its model.
func current(t *testing.T, b *Buffer, version int64, model ...float32) {
	t.Helper()
	got, v, err := b.Current(vec(0, 0))
	if err != nil || v != version {
		t.Fatalf("version %d (%v), want %d", v, err, version)
	}
	for i, x := range model {
		if !(math.Abs(float64(got.Data[i]-x)) <= 1e-6) {
			t.Errorf("version %d is %v, want %v", v, got.Data, model)
		}
	}
}

func add(t *testing.T, b *Buffer, base int64, change ...float32) {
	t.Helper()
	if _, err := b.Add(vec(change...), base); err != nil {
		t.Fatal(err)
	}
}

// Every second change makes a version of both; a change of an older version counts for less. The server may
// restart in between.
func TestVersions(t *testing.T) {
	b := begun(t, &Buffer{Size: 2, Rate: 0.5}, 1, 2)
	add(t, b, 0, 4, 0)
	current(t, b, 0, 1, 2)
	state, _ := b.AppendBinary(nil)
	b = &Buffer{Size: 2, Rate: 0.5}
	for n := range state {
		if err := b.UnmarshalBinary(state[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are accepted", n, len(state))
		}
	}
	if err := b.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	if again, _ := b.AppendBinary(nil); !bytes.Equal(again, state) {
		t.Error("the state read is not the one written")
	}
	add(t, b, 0, 0, 8)
	current(t, b, 1, 2, 4) // half of the mean
	add(t, b, 1, 0, 0)
	add(t, b, 0, 4*math.Sqrt2, 0) // one version late: 1/√2 of it
	current(t, b, 2, 3, 4)
}

// Changes of unknown versions are refused without effect.
func TestRefuses(t *testing.T) {
	b := begun(t, &Buffer{Size: 1}, 1, 2)
	before, _ := b.AppendBinary(nil)
	for want, err := range map[string]error{
		"version 1, want one from 0 to 0":      second(b.Add(vec(1, 1), 1)),
		"version -1":                           second(b.Add(vec(1, 1), -1)),
		"the change has shape [1]":             second(b.Add(vec(1), 0)),
		"the change is not finite":             second(b.Add(vec(1, float32(math.NaN())), 0)),
		"want that of version 0, [2]":          third(b.Current(vec(1))),
		"lead to what is not finite":           second(begun(t, &Buffer{Size: 1}, 3e38, 0).Add(vec(3e38, 0), 0)),
		"Size is -1":                           (&Buffer{Size: -1}).Open(runtime.Env{}),
		"Rate or Exponent is -1":               (&Buffer{Rate: -1}).Open(runtime.Env{}),
		"5 changes of shape [2] to version -1": (&Buffer{}).UnmarshalBinary(stateOf(Buffer{model: vec(1, 2), sum: tensor.DenseOf([]float64{0, 0}, 2), version: -1, count: 5})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if after, _ := b.AppendBinary(nil); !slices.Equal(before, after) {
		t.Error("what is refused has changed the buffer")
	}
}

func second(_ int64, err error) error                         { return err }
func third(_ tensor.Dense[float32], _ int64, err error) error { return err }

func stateOf(b Buffer) []byte {
	state, _ := b.AppendBinary(nil)
	return state
}
