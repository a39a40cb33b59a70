package plan_test

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// TestRefused: what no machine can store is an error, before anything is allocated.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, fn, want string }{
		{
			"one value that no machine holds",
			"func @main(%x: float64[262144,262144]) -> (%z) {\n  %a = MatMul(%x, %x)\n  %z = ReduceSum(%a)\n}\n",
			`m.onnx: value "a" (float64[262144,262144]) is larger than 274877906944 bytes`,
		},
		{
			"values that no machine holds at the same time",
			"func @main(%x: float32[131072,131072]) -> (%z) {\n  %a = MatMul(%x, %x)\n  %b = MatMul(%a, %x)\n  %c = MatMul(%b, %x)\n  %d = MatMul(%c, %x)\n  %p = MatMul(%a, %b)\n  %q = MatMul(%p, %c)\n  %z = MatMul(%q, %d)\n}\n",
			`m.onnx: values that live at the same time take 343597383680 bytes, at most 274877906944 are supported`,
		},
	} {
		m, err := ir.Parse("m.onnx", "module \"m\"\nfile \"m.onnx\"\nopset 21\n"+c.fn)
		if err == nil {
			_, err = planOf(m)
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}
