package pass_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// TestInferSchema: errors of a node are reported with its name, before inference.
func TestInferSchema(t *testing.T) {
	for attrs, want := range map[string]string{
		`{axis = "0"}`: `: node "y" (Softmax): attribute "axis" is the string "0", want an integer`,
		`{axis = [0]}`: `: node "y" (Softmax): attribute "axis" is a list of integers, want an integer`,
		`{axes = 0}`:   `: node "y" (Softmax): has no attribute "axes", want "axis", an integer`,
	} {
		m, err := ir.Parse("m", "module \"m\"\nopset 13\nfunc @main(%x: float32[2,3]) -> (%y) {\n  %y = Softmax(%x) "+attrs+" : ?\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", attrs, err, want)
		}
	}
}

// TestInferOld: attributes of older operator sets are read by their own definition, and removed when
// inference has converted the node to the newest version.
func TestInferOld(t *testing.T) {
	for _, c := range []struct{ opset, node, want string }{
		{"5", `Relu(%x) {consumed_inputs = [0]}`, "[]"},
		{"5", `Dropout(%x) {is_test = 1, ratio = 0.25}`, "[]"},
		{"1", `Softmax(%x)`, "[{axis 1} {flat 1}]"},
		{"13", `Softmax(%x)`, "[]"},
		{"5", `Selu(%x)`, "[{alpha 1.6732} {gamma 1.0507}]"},
		{"1", `LpPool(%i) {kernel_shape = [2, 2], p = 2.5}`, "[{kernel_shape [2 2]} {order 2.5}]"},
	} {
		m, err := ir.Parse("m", "module \"m\"\nopset "+c.opset+"\nfunc @main(%x: float32[2,3], %i: float32[1,1,4,4]) -> (%y) {\n  %y = "+c.node+" : ?\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err != nil {
			t.Errorf("opset %s, %s: %v", c.opset, c.node, err)
			continue
		}
		nodes := m.Main.Body.Nodes
		if got := fmt.Sprint(nodes[len(nodes)-1].Attrs); got != c.want {
			t.Errorf("opset %s, %s: attributes %s, want %s", c.opset, c.node, got, c.want)
		}
	}
}

// TestInferDiverge shows what becomes of branches that differ in rank, as PyTorch exports them.
func TestInferDiverge(t *testing.T) {
	golden.Run(t, "testdata/infer_diverge*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse("in.ir", a.Get("in.ir"))
		if err == nil {
			err = pass.Run(m, []*pass.Pass{pass.Infer}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/infer", ir.Print(m))
	})
}

// TestInferDeclared: another type of elements than the declared one is an error, as readers of the file rely on it;
// another shape is a warning.
func TestInferDeclared(t *testing.T) {
	infer := func(declared string) (*pass.Context, error) {
		m, err := ir.Parse("m.onnx", "module \"m\"\nfile \"m.onnx\"\nopset 21\nfunc @main(%x: float32[n,3]) -> (%y) {\n  %y = Relu(%x)"+declared+"\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		c := pass.NewContext(m, pass.Options{})
		return c, pass.Run(m, []*pass.Pass{pass.Infer}, c)
	}
	const differs = `m.onnx: output "y" is declared as int64[n,3], and its nodes compute float32[n,3]: correct the declaration, or add a Cast`
	if _, err := infer(" : int64[n,3]"); err == nil || err.Error() != differs {
		t.Errorf("got %v, want %q", err, differs)
	}
	for declared, want := range map[string][]string{
		"":                nil,
		" : float32[n,3]": nil,
		" : float32[m,k]": nil,
		" : float32[n,4]": {`output "y" is declared as float32[n,4], and its nodes compute float32[n,3]`},
		" : float32[3]":   {`output "y" is declared as float32[3], and its nodes compute float32[n,3]`},
	} {
		c, err := infer(declared)
		if err != nil || fmt.Sprint(c.Warnings) != fmt.Sprint(want) {
			t.Errorf("%q: got %q, %v, want %q", declared, c.Warnings, err, want)
		}
	}
}

// TestInferLine checks that a mistake that only inference shows is reported with the author's line.
func TestInferLine(t *testing.T) {
	for want, text := range map[string]string{
		`model.go:17: node "y" (Reshape): cannot give 4 elements the shape [1]`: `module "m"
opset 25

func @main() -> (%y) {
  const %x: float32[4] = [1, 2, 3, 4]
  const %shape: int64[1] = [1]

  %y = Reshape(%x, %shape) : float32[1] at "model.go:17"
}
`,
		`p.go:3: node "x" (ai.bytesandbrains.syscall:PassThrough): "labels" is int64[?], of unknown shape`: `module "m"
opset 25, "ai.bytesandbrains.syscall" 1, "ai.bytesandbrains.role.data_source" 1

func @main() -> () {
  %batch, %labels = "ai.bytesandbrains.role.data_source":NextBatch() {slot = "data"} @a at "p.go:2"
  %x = "ai.bytesandbrains.syscall":PassThrough(%labels) @a at "p.go:3"
}
`,
	} {
		m, err := ir.Parse("m", text)
		if err != nil {
			t.Fatal(err)
		}
		err = pass.Run(m, pass.Until(pass.Pipeline, pass.Infer.Name), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
