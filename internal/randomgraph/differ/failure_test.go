package differ

import (
	"errors"
	"testing"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestSame: minimizing must not change one fault to another one.
func TestSame(t *testing.T) {
	of := func(s Stage, text string) *Failure {
		return &Failure{Model: &randomgraph.Model{Seed: 3}, Stage: s, Run: 1, Err: errors.New(text)}
	}
	f := of(Native, "output 0 differs: element 1 of y is 2, want 3")
	for _, c := range []struct {
		g    *Failure
		want bool
	}{
		{nil, false},
		{of(Native, "output 2 differs: element 7 of z is 1, want 0"), true},
		{of(Portable, "output 0 differs: element 1 of y is 2, want 3"), false},
		{of(Native, "exit status 2: panic: index out of range"), false},
		{of(Native, "node \"x\" (Add): want a shape"), false},
	} {
		if got := f.Same(c.g); got != c.want {
			t.Errorf("%v and %v: got %v, want %v", f, c.g, got, c.want)
		}
	}
	if a, b := of(Passing, "one panic: nil map"), of(Passing, "two panic: index out of range"); a.Same(b) || !a.Same(of(Passing, "three panic: nil map")) {
		t.Error("panics are told apart by their text alone")
	}
	if got, want := f.Error(), "seed 3: native, run 1: output 0 differs: element 1 of y is 2, want 3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestGuarded: a panic is a fault of bbgen, except a division by zero, which kernels leave to Go.
func TestGuarded(t *testing.T) {
	zero := 0
	for _, c := range []struct {
		f    func() error
		want bool
	}{
		{func() error { return nil }, false},
		{func() error { return errors.New("no") }, false},
		{func() error { zero = 1 / zero; return nil }, false},
		{func() error { return []error{}[zero] }, true},
	} {
		if err := guarded(c.f); isPanic(err) != c.want {
			t.Errorf("%v: a fault is %v, want %v", err, !c.want, c.want)
		}
	}
}

// TestShapeMoves: the number of elements of an output may depend on the last bits of inner values.
func TestShapeMoves(t *testing.T) {
	two, three := []tensor.Value{tensor.New(tensor.Float32, 2)}, []tensor.Value{tensor.New(tensor.Float32, 3)}
	for _, c := range []struct {
		n    nearby
		want bool
	}{
		{nearby{}, false},
		{nearby{shaken: [][]tensor.Value{two, nil}, tilted: [][]tensor.Value{two}}, false},
		{nearby{shaken: [][]tensor.Value{two, three}}, true},
		{nearby{tilted: [][]tensor.Value{nil, three}}, true},
	} {
		if got := c.n.shapeMoves(0, two[0]); got != c.want {
			t.Errorf("%v: got %v", c.n, got)
		}
	}
}
