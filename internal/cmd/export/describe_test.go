package export

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestDescribe tests that a model trained on normalized features gives the same outputs for raw features
// after the export.
func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		name, model string
		mean, std   string
		want        []float32 // for the features 0, 1, 2, …
	}{
		{"one for all", `
func @main(%x: float32[n,3]) -> (%y) {
  %y = Relu(%x) : ?
}`, "[1]", "[0.5]", []float32{0, 0, 2}},
		{"one for each column", `
func @main(%x: float32[n,3]) -> (%y) {
  %y = Relu(%x) : ?
}`, "[0,0,1]", "[1,0.5,1]", []float32{0, 2, 1}},
		{"one for each channel", `
func @main(%x: float32[n,2,1,2]) -> (%y) {
  %y = Relu(%x) : ?
}`, "[0,2]", "[1,0.5]", []float32{0, 1, 0, 2}},
		{"channels behind one another", `
func @main(%x: float32[n,4]) -> (%y) {
  %y = Relu(%x) : ?
}`, "[0,2]", "[1,0.5]", []float32{0, 1, 0, 2}},
		{"read in a branch, by names that are taken", `
func @main(%x: float32[n,2]) -> (%y) {
  const %x_mean: bool[] = true
  %y = If(%x_mean)
    then_branch() -> (%a) {
      %a = Relu(%x) : ?
    }
    else_branch() -> (%b) {
      %b = Neg(%x) : ?
    }
}`, "[0]", "[0.5]", []float32{0, 2}},
	} {
		m, err := ir.Parse(c.name, "module \"m\"\nopset 21\n"+c.model)
		if err != nil {
			t.Fatal(err)
		}
		b, err := onnx.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if b, err = describe(b, map[string]string{"mean": c.mean, "std": c.std, "names": `["cat","dog"]`}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if m, err = onnx.Decode("m.onnx", b, nil); err != nil {
			t.Fatal(err)
		}
		if names, err := m.Names(keys.Classes); err != nil || !slices.Equal(names, []string{"cat", "dog"}) {
			t.Errorf("%s: classes are %v, %v", c.name, names, err)
		}
		if frozen, err := m.Names(keys.Frozen); err != nil || len(frozen) != 2 {
			t.Errorf("%s: frozen are %v, %v, want mean and deviation", c.name, frozen, err)
		}
		if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err != nil {
			t.Fatal(err)
		}
		x := make([]float32, len(c.want))
		for i := range x {
			x[i] = float32(i)
		}
		shape := []int{1, len(x)}
		if len(m.Main.Body.Params[0].Type.Shape) == 4 {
			shape = []int{1, 2, 1, 2}
		}
		out, err := eval.Run(m.Main, []tensor.Value{tensor.Of(x, shape...)})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := tensor.Data[float32](out[0].(*tensor.Tensor)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestDescribeRefuses shows descriptions that cannot become part of a model.
func TestDescribeRefuses(t *testing.T) {
	for _, c := range []struct{ input, mean, std, want string }{
		{"float32[n,3]", "[1,2]", "[1,1]", "input x has 3 channels, want one for each of 2 means"},
		{"float32[n]", "[1,2]", "[1,1]", "input x has 1 axes, want 2 or more for 2 means"},
		{"int64[n,3]", "[1]", "[1]", "input x: is of int64, only floats can be normalized"},
		{"float32[n,3]", "[1]", "[]", "1 means and 0 deviations, want as many"},
		{"float32[n,3]", "1", "[1]", "metadata mean: json: cannot unmarshal number into Go value of type []float32"},
	} {
		m, err := ir.Parse("m.ir", "module \"m\"\nopset 21\nfunc @main(%x: "+c.input+") -> (%y) {\n  %y = Neg(%x) : ?\n}")
		if err != nil {
			t.Fatal(err)
		}
		b, err := onnx.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := describe(b, map[string]string{"mean": c.mean, "std": c.std}); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.input, err, c.want)
		}
	}
}
