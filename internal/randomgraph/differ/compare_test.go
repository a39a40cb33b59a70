package differ

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestAgrees compares results that differ in one element: only differences that other last bits of inner
// values explain are allowed.
func TestAgrees(t *testing.T) {
	const head = "module \"m\"\nopset 25\nfunc @main(%x: float32[4]) -> (%y) {\n  const %c: float32[4] = [1, 2, 3, 4]\n  const %ten: float32[] = 10\n"
	for _, c := range []struct {
		graph string
		x     []float32
		at    int
		got   float64
		ok    bool
	}{
		{"%y = Mul(%x, %c)", []float32{1, 2, 3, 4}, 1, 4.00001, true},
		{"%y = Mul(%x, %c)", []float32{1, 2, 3, 4}, 1, 4.001, false},
		{"%y = Div(%c, %x)", []float32{1, 2, 1e-3, 4}, 2, math.Inf(1), false},
		{"%s = Mul(%x, %c)\n  %y = Equal(%s, %c)", []float32{1, 1.0000001, 3, 4}, 1, 1, true},
		{"%s = Mul(%x, %c)\n  %y = Equal(%s, %c)", []float32{1, 1.001, 3, 4}, 1, 1, false},
		{"%s = Mul(%x, %ten)\n  %d = Div(%s, %ten)\n  %e = Sub(%d, %x)\n  %y = Div(%c, %e)", []float32{1, 0.1, 0.3, 0.7}, 1, math.Inf(1), true},
		{"%s = Sub(%x, %c)\n  %y = Div(%c, %s)", []float32{2, 3, 4, 5}, 1, math.Inf(1), false},
		{"%s = Exp(%x)\n  %t = Mul(%s, %ten)\n  %y = Div(%t, %ten)", []float32{1, 88, 3, 4}, 1, 1.6516363e38, true},
		{"%s = Exp(%x)\n  %y = Neg(%s)", []float32{1, 200, 3, 4}, 1, -1e30, false},
		{"%s = Sigmoid(%x)\n  %y = Mul(%s, %x)", []float32{1, -30, 3, 4}, 1, 0, true},
		{"%s = Sigmoid(%x)\n  %y = Mul(%s, %x)", []float32{1, -30, 3, 4}, 1, -0.01, false},
		{"%y = MatMul(%x, %c)", []float32{0, 3e38, -3e38, 0}, 0, math.Inf(1), true},
		{"%y = MatMul(%x, %c)", []float32{0, float32(math.Inf(1)), float32(math.Inf(-1)), 0}, 0, math.Inf(1), false},
		{"const %s: int64[3] = [1, 4, 1]\n  %r = Reshape(%x, %s)\n  %y = InstanceNormalization(%r, %c, %c)", []float32{1, 2, 3, 4}, 1, 2.0001, true},
		{"const %s: int64[3] = [1, 1, 4]\n  const %o: float32[1] = [1]\n  %r = Reshape(%x, %s)\n  %y = InstanceNormalization(%r, %o, %o)", []float32{1, 2, 3, 4}, 1, 0.5529, false},
		{"%s = Softmax(%x)\n  %y = Log(%s)", []float32{1, -130, 3, 4}, 1, -134.349, true},
		{"%s = Softmax(%x)\n  %y = Log(%s)", []float32{1, -130, 3, 4}, 1, -90, false}, // would not underflow
		{"%s = Softmax(%x)\n  %y = Log(%s)", []float32{1, float32(math.Inf(-1)), 3, 4}, 1, -134.349, false},
		{"%s = Relu(%x)\n  %y = Log(%s)", []float32{1, -130, 3, 4}, 1, -134.349, false},
		{"%s = Exp(%x)\n  %y = Log(%s)", []float32{1, -130, 3, 4}, 1, -130, true},
		{"%s = Exp(%x)\n  %l = Log(%s)\n  %y = Neg(%l)", []float32{1, -130, 3, 4}, 1, 130, true},
		{"%s = Exp(%x)\n  %l = Log(%s)\n  %y = Neg(%l)", []float32{1, -130, 3, 4}, 1, -130, false},
		{"%y = Floor(%x)", []float32{1.5, 2.5, 3.5, 4.5}, 1, 1, false},
	} {
		m, err := ir.Parse("m", head+"  "+c.graph+"\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		if m, err = plain(m); err != nil {
			t.Fatal(err)
		}
		in := []tensor.Value{tensor.Of(c.x, 4)}
		want, err := evaluate(m, in)
		if err != nil {
			t.Fatal(err)
		}
		other := want[0].(*tensor.Tensor).Clone()
		if other.DType == tensor.Bool {
			d := tensor.Data[bool](other)
			d[c.at] = !d[c.at]
		} else {
			other.SetItem(c.at, tensor.FromFloat(other.DType, c.got))
		}
		if err := agrees(m, in, []tensor.Value{other}, want); (err == nil) != c.ok {
			t.Errorf("%s at %v: got %v, want agreement %v", c.graph, c.x, err, c.ok)
		}
	}
}
