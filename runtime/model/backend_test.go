package model

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// engine is a backend with one output.
type engine struct {
	out *tensor.Tensor
	err error
}

func (engine) Load(int, []byte) error                               { return nil }
func (engine) Run(context.Context, int, ...*tensor.Tensor) error    { return nil }
func (e engine) Retrieve(graph, output int) (*tensor.Tensor, error) { return e.out, e.err }

// TestRetrieve: what a backend returns is checked, as it is somebody else's code, and errors name the output.
func TestRetrieve(t *testing.T) {
	x := tensor.Of([]float32{1, 2}, 2)
	for _, c := range []struct {
		from engine
		dims []int
		want string
	}{
		{engine{out: x}, []int{2}, "[1 2] [2] <nil>"},
		{engine{out: x}, []int{3}, "[] [] graph 4, output 5: got float32[2], want float32[3]"},
		{engine{out: tensor.Of([]float64{1, 2}, 2)}, []int{2}, "[] [] graph 4, output 5: got float64[2], want float32[2]"},
		{engine{err: errors.New("no memory")}, []int{2}, "[] [] graph 4, output 5: no memory"},
	} {
		var got tensor.Dense[float32]
		err := Retrieve(&got, c.from, 4, 5, c.dims...)
		if err != nil {
			got = tensor.Dense[float32]{}
		}
		if text := fmt.Sprint(got.Data, got.Shape, err); text != c.want {
			t.Errorf("got %s, want %s", text, c.want)
		}
	}
	var y float32
	if err := RetrieveScalar(&y, engine{out: tensor.Of([]float32{7})}, 0, 0); err != nil || y != 7 {
		t.Errorf("got %v, %v, want 7", y, err)
	}
	if err := RetrieveScalar(&y, engine{out: x}, 0, 1); err == nil || y != 7 {
		t.Errorf("a vector is taken for a scalar: %v, %v", y, err)
	}
}

// TestVariables: an export has the weights and the statistics, the average of gradients only the weights, and private
// state leaves the trainer in neither.
func TestVariables(t *testing.T) {
	x := tensor.Of([]float32{1}, 1)
	vars := []Variable{{Name: "w", Kind: Weight, Value: x}, {Name: "mean", Kind: Buffer, Value: x}, {Name: "w.average", Kind: Average, Value: x}, {Name: "w.m", Kind: Private, Value: x}}
	if got := Trained(vars); len(got) != 1 || got[0].Name != "w" {
		t.Errorf("trained are %v", got)
	}
	if got := Exported(vars); len(got) != 2 || got["w"] != x || got["mean"] != x {
		t.Errorf("exported are %v", got)
	}
}

// TestStream: seeds that differ by one begin far apart, within 31 bits, so that random streams of peers do not overlap.
func TestStream(t *testing.T) {
	seen := map[int64]bool{}
	for seed := range uint64(10_000) {
		s := Stream(seed)
		if s < 0 || s >= 1<<31 || seen[s] {
			t.Fatalf("seed %d begins at %d, which is used or has more than 31 bits", seed, s)
		}
		seen[s] = true
	}
}
