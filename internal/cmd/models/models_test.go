package models

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

const line = `module "line"
opset 21

func @main(%x: float32[n,2]) -> (%y) {
  const %w: float32[2,1] = [1, 2]
  const %b: float32[1] = [3]
  %h = MatMul(%x, %w) : ?
  %y = Add(%h, %b) : ?
}
`

// program is a program with a class that trains a model in each of the slots.
func program(files ...string) *partitioner.Program {
	part := &partitioner.Partition{Class: "client"}
	for i, f := range files {
		part.Slots = append(part.Slots, &partitioner.Slot{Name: []string{"model", "teacher", "judge"}[i], Role: "model", Binding: &artifact.Binding{Model: f, Train: []byte(`{"Optimizer": {"Name": "sgd", "Rate": 0.1}}`)}})
	}
	part.Slots = append(part.Slots, &partitioner.Slot{Name: "empty"}, &partitioner.Slot{Name: "go", Binding: &artifact.Binding{Type: "T"}})
	var steps []partitioner.Step
	for _, name := range []string{"loss", "accuracy", "loss"} {
		n := &ir.Node{Op: "AppEmit", Domain: peer.SyscallDomain}
		n.Attrs.Set(peer.NameAttr, name)
		steps = append(steps, partitioner.Step{Node: n})
	}
	part.Modules = []*partitioner.Module{{Blocks: []*partitioner.Block{{Steps: append(steps, partitioner.Step{})}}}}
	return &partitioner.Program{Parts: []*partitioner.Partition{part}}
}

// TestRoundTrip: the list that is written beside the peers leads back to the models and the order of their weights, also
// when the list and the models are moved together.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	cmdtest.Model(t, dir, "line.onnx", line)
	cmdtest.Model(t, dir, "other.onnx", strings.NewReplacer("float32[1] = [3]", "float32[2,1] = [3, 4]", "Add(%h, %b)", "MatMul(%x, %b)").Replace(line))
	peers := filepath.Join(dir, "peer")
	files, err := Of(program("line.onnx", "other.onnx", "line.onnx"), dir, peers)
	if err != nil || len(files) != 1 || files[0].Path != File {
		t.Fatalf("got %v, %v", files, err)
	}
	if err := os.Mkdir(peers, 0o777); err != nil {
		t.Fatal(err)
	}
	cmdtest.File(t, peers, File, files[0].Bytes())
	list, err := Read(peers)
	if err != nil {
		t.Fatal(err)
	}
	if m := list.Models; len(m) != 2 || !slices.Equal(m[0].Slots, []string{"client.model", "client.judge"}) || !slices.Equal(m[1].Slots, []string{"client.teacher"}) {
		t.Fatalf("got %+v, want two models, the first in two slots", list)
	}
	if got := list.OutputsOf("client"); !slices.Equal(got, []string{"accuracy", "loss"}) {
		t.Errorf("the outputs are %q, want accuracy and loss", got)
	}
	m, err := list.BySize(3)
	if err != nil || m.File != filepath.Join(dir, "line.onnx") {
		t.Fatalf("got %+v, %v, want line.onnx for 3 weights", m, err)
	}
	parts, err := m.Split([]float32{7, 8, 9})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]*tensor.Tensor{"w": tensor.Of([]float32{7, 8}, 2, 1), "b": tensor.Of([]float32{9}, 1)} {
		got := parts[name]
		if got == nil || !slices.Equal(got.Shape, want.Shape) || !slices.Equal(tensor.Data[float32](got), tensor.Data[float32](want)) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// TestNoModels: a program that trains no ONNX model has no list.
func TestNoModels(t *testing.T) {
	if files, err := Of(program(), ".", "peer"); err != nil || files != nil {
		t.Errorf("got %v, %v, want no file", files, err)
	}
}

// TestOfRefuses: the error for a model that cannot be read names its slot.
func TestOfRefuses(t *testing.T) {
	if _, err := Of(program("none.onnx"), t.TempDir(), "peer"); err == nil || !strings.HasPrefix(err.Error(), `slot "model" of client: `) || !strings.Contains(err.Error(), "none.onnx") {
		t.Errorf("the error is %v", err)
	}
}

// TestReadRefuses shows lists that are missing, or not what bbgen writes: sizes are checked before a vector is split by
// them.
func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"missing", "", "has no models.json: the program trains no ONNX model, or its peers are of an older bbgen; generate them again"},
		{"of an older bbgen", "[]", "models.json: got array, want an object with models and outputs: the peers are of an older bbgen; generate them again"},
		{"no JSON", "[", "models.json: unexpected end of JSON input"},
		{"negative sizes", `{"models": [{"file": "a.onnx", "weights": [{"name": "v", "shape": [5]}, {"name": "w", "shape": [2, -3]}]}]}`, `models.json: weight "w" of a.onnx has the shape [2 -3], want sizes of 0 or more`},
		{"sizes that overflow together", `{"models": [{"file": "a.onnx", "weights": [{"name": "v", "shape": [4611686018427387904]}, {"name": "w", "shape": [4611686018427387904]}]}]}`, `models.json: weight "w" of a.onnx has the shape [4611686018427387904], which has too many elements`},
		{"sizes that overflow", `{"models": [{"file": "a.onnx", "weights": [{"name": "w", "shape": [4294967296, 4294967296]}]}]}`, `models.json: weight "w" of a.onnx has the shape [4294967296 4294967296], which has too many elements`},
	} {
		dir := t.TempDir()
		if c.text != "" {
			cmdtest.File(t, dir, File, c.text)
		}
		if _, err := Read(dir); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %s", c.name, err, c.want)
		}
	}
}

// TestSizes: a vector that no model has, or not this one, is refused with the sizes that there are.
func TestSizes(t *testing.T) {
	list := List{Models: []Model{{File: "a.onnx", Weights: []bbgen.Weight{{Name: "w", Shape: []int{2, 3}}}}, {File: "b.onnx"}}}
	if _, err := list.BySize(5); err == nil || err.Error() != "no model has 5 weights: a.onnx has 6, b.onnx has 0" {
		t.Errorf("the error is %v", err)
	}
	if _, err := list.Models[0].Split(make([]float32, 5)); err == nil || err.Error() != "5 values, want 6, the weights of a.onnx" {
		t.Errorf("the error is %v", err)
	}
}
