package ir_test

import (
	"reflect"
	"testing"

	"github.com/bbgen/bbgen/ir"
	_ "github.com/bbgen/bbgen/ir/op/all" // the defaults
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestAttributes reads attributes of each kind, and those that a node does not have: they are the operator's defaults, or
// zero.
func TestAttributes(t *testing.T) {
	n := &ir.Node{Op: "Unknown"}
	for name, v := range map[string]any{"s": "word", "i": int64(7), "is": []int64{1, 2}, "f": 0.5, "fs": []float64{1, 0.5}, "ss": []string{"a", "b"}, "t": tensor.Of([]int64{3}, 1)} {
		n.Attrs.Set(name, v)
	}
	n.Attrs.Set("i", int64(8))
	if !n.Has("i") || n.Has("j") || n.Attrs.Lookup("j") != nil {
		t.Errorf("the node has %v", n.Attrs)
	}
	for i, x := range n.Attrs[1:] {
		if n.Attrs[i].Name >= x.Name {
			t.Errorf("%s stands before %s", n.Attrs[i].Name, x.Name)
		}
	}
	check := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	check("i", n.Int("i"), 8)
	check("i or", n.IntOr("i", 3), 8)
	check("no int", n.Int("f"), 0)
	check("f", n.Float("f"), 0.5)
	check("s", n.Str("s"), "word")
	check("is", n.Ints("is"), []int{1, 2})
	check("fs", n.Floats("fs"), []float64{1, 0.5})
	check("ss", n.Strs("ss"), []string{"a", "b"})
	check("t", n.TensorAttr("t").Shape, []int{1})
	check("missing ints", n.Ints("no"), []int(nil))
	check("missing tensor", n.TensorAttr("no"), (*tensor.Tensor)(nil))
	n.Attrs.Delete("i")
	n.Attrs.Delete("i") // twice is no mistake
	check("deleted", n.IntOr("i", 3), 3)

	gemm := &ir.Node{Op: "Gemm", Version: 13}
	check("default alpha", gemm.Float("alpha"), 1.0)
	check("default transB", gemm.Int("transB"), 0)
	gemm.Attrs.Set("alpha", 2.0)
	check("alpha", gemm.Float("alpha"), 2.0)
}
