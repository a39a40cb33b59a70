package all

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/activation"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// checked returns the result of the table's check for the one node of a text.
func checked(t *testing.T, opset, node string) error {
	t.Helper()
	m, err := ir.Parse("test.ir", "module \"t\"\nopset "+opset+", com.microsoft 1\nfunc @main(%x: float32[2,3], %i: int64[2]) -> (%y) {\n  "+node+" : ?\n}\n")
	if err != nil {
		t.Fatalf("%s: %v", node, err)
	}
	n := m.Main.Body.Nodes[0]
	o := op.Lookup(n)
	if err := o.Check(n); err != nil {
		return err
	}
	return o.CheckTypes(n)
}

// TestCheck shows mistakes in files, and their errors.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ opset, node, want string }{
		{"13", `%y = Softmax(%x) {axis="0"}`, `attribute "axis" is the string "0", want an integer`},
		{"13", `%y = Softmax(%x) {axis=[0]}`, `attribute "axis" is a list of integers, want an integer`},
		{"13", `%y = Softmax(%x) {axes=0}`, `has no attribute "axes", want "axis", an integer`},
		{"13", `%y = Softmax(%x) {Axis=0}`, `has no attribute "Axis", want "axis", an integer`},
		{"13", `%y = Softmax(%x) {axis=0}`, ``},
		{"13", `%y = Softmax(%x) {__note="by a tool"}`, ``},
		{"13", `%y = Relu(%x) {keepdims=1}`, `has no attribute "keepdims", and takes none`},
		{"13", `%y = Relu(%x) {consumed_inputs=[0]}`, `has no attribute "consumed_inputs", and takes none`},
		{"5", `%y = Relu(%x) {consumed_inputs=[0]}`, ``},
		{"11", `%y = Squeeze(%x) {axes=[0]}`, ``},
		{"13", `%y = Squeeze(%x) {axes=[0]}`, `has no attribute "axes", and takes none`},
		{"11", `%y = Squeeze(%x, %i)`, `has 2 inputs, want 1`},
		{"13", `%y = Concat(%x, %x)`, `attribute "axis" is missing, want an integer`},
		{"13", `%y = Concat(%x, %x) {frames=1, axis=0}`, `has no attribute "frames", want one of "axis"`},
		{"20", `%y = Gelu(%x) {approximate="sigmoid"}`, `attribute "approximate" is "sigmoid", want one of "none", "tanh"`},
		{"13", `%y = MatMul(%x)`, `has 1 inputs, want 2`},
		{"13", `%y = MatMul(%x, _)`, `input 1 (B) is missing`},
		{"13", `%y = MatMul(%x, %x, %x)`, `has 3 inputs, want 2`},
		{"13", `%y = MatMul(%x, %i)`, `input "i" is int64, want float32 like input "x"`},
		{"13", `%y = Softmax(%i)`, `input "i" is int64, want a float`},
		{"13", `%y = Gather(%x, %x)`, `input "x" is float32, want int32 or int64`},
		{"13", `%y = Concat(%x, %i) {axis=0}`, `input "i" is int64, want float32 like input "x"`},
		{"13", `%y = If(%x)`, `attribute "else_branch" is missing, want a graph`},
		{"13", `%y = com.microsoft:FusedMatMul(%x, %x) {transBatchA=1}`, `attribute "transBatchA" is the integer 1, which is not supported: want 0`},
	} {
		got := ""
		if err := checked(t, c.opset, c.node); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("opset %s, %s\n got %s\nwant %s", c.opset, c.node, got, c.want)
		}
	}
}

// TestCheckRef: a reference to an attribute of the surrounding function has no kind yet.
func TestCheckRef(t *testing.T) {
	n := &ir.Node{Op: "Softmax", In: []*ir.Value{{Name: "x", Type: ir.TensorOf(tensor.Float32)}}, Out: []*ir.Value{{Name: "y"}}}
	n.Attrs.Set("axis", ir.Ref("a"))
	if err := activation.Softmax.Check(n); err != nil {
		t.Error(err)
	}
}
