package bbgen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/partitioner"
)

// threeWeights is a model with three trained tensors. The sizes of its Reshape are constant, but not trained.
const threeWeights = `module "net"
opset 21

func @main(%x: float32[batch,2]) -> (%y) {
  const %w1: float32[2,3] = [1, 2, 3, 4, 5, 6]
  const %b: float32[3] = [1, 2, 3]
  const %w2: float32[3,1] = [1, 2, 3]
  const %sizes: int64[2] = [-1, 3]
  %g = MatMul(%x, %w1) : ?
  %h = Add(%g, %b) : ?
  %k = Reshape(%h, %sizes) : ?
  %y = MatMul(%k, %w2) : ?
}
`

// TestWeights: the weights are those that training changes, with the order and sizes of the method Params. Peers
// with equal lists can average their vectors; one that freezes a weight has a shorter list.
func TestWeights(t *testing.T) {
	all, err := bbgen.Weights(parse(t, "net.ir", threeWeights))
	if got := fmt.Sprint(all, err); got != "[{w1 [2 3]} {b [3]} {w2 [3 1]}] <nil>" {
		t.Error(got)
	}

	dir := t.TempDir()
	b, err := onnx.Encode(parse(t, "net.ir", threeWeights))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "net.onnx"), b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		binding *artifact.Binding
		want    string
	}{
		{&artifact.Binding{Model: "net.onnx", Train: []byte(`{}`)}, "[{w1 [2 3]} {b [3]} {w2 [3 1]}] <nil>, 12 <nil>"},
		{&artifact.Binding{Model: "net.onnx", Train: []byte(`{"Freeze": ["b"]}`)}, "[{w1 [2 3]} {w2 [3 1]}] <nil>, 9 <nil>"},
		{&artifact.Binding{Package: "example.com/parts", Type: "Net"}, "[] no ONNX file is bound to it, 0 no ONNX file is bound to it"},
		{nil, "[] no ONNX file is bound to it, 0 no ONNX file is bound to it"},
	} {
		slot := &partitioner.Slot{Name: "net", Binding: c.binding}
		part := &partitioner.Partition{Class: "client"}
		weights, err := bbgen.SlotWeights(part, slot, dir)
		n, err2 := bbgen.SlotParameters(part, slot, dir)
		if got := fmt.Sprint(weights, err, ", ", n, err2); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.binding, got, c.want)
		}
	}
	if a, b := all[0], all[2]; a.Equal(b) || !a.Equal(bbgen.Weight{Name: "w1", Shape: []int{2, 3}}) || a.Equal(bbgen.Weight{Name: "w1", Shape: []int{3, 2}}) {
		t.Error("weights are not equal when their names and shapes are")
	}
}
