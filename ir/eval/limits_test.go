package eval

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func inferred(t *testing.T, text string) *ir.Func {
	t.Helper()
	m, err := ir.Parse("test.ir", "module \"test\"\nopset 28\n"+text)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range m.Main.Body.Nodes {
		if err := (op.Inferrer{}).Infer(m, n); err != nil {
			t.Fatal(err)
		}
	}
	return m.Main
}

// The error of an evaluation without enough memory, or that is stopped or fails, names the node.
func TestLimits(t *testing.T) {
	f := inferred(t, "func @main(%x: float32[4]) -> (%y) {\n  %a = Neg(%x)\n  %y = Exp(%a)\n}")
	in := []tensor.Value{tensor.New(tensor.Float32, 4)}
	full, stop := errors.New("full"), errors.New("stop")
	used, nodes := 0, 0
	most := func(n int) func(int) error {
		return func(bytes int) error {
			if used += bytes; used > n {
				return full
			}
			return nil
		}
	}
	if _, err := RunWithin(f, in, Limits{Take: most(32)}); err != nil || used != 32 {
		t.Errorf("got %v, and %d bytes, want 32", err, used)
	}
	used = 0
	if _, err := RunWithin(f, in, Limits{Take: most(31)}); !errors.Is(err, full) || !strings.Contains(err.Error(), `"y"`) {
		t.Errorf("got %v, want %v at y", err, full)
	}
	_, err := RunWithin(f, in, Limits{Stop: func() error {
		if nodes++; nodes > 1 {
			return stop
		}
		return nil
	}})
	if !errors.Is(err, stop) {
		t.Errorf("got %v, want %v", err, stop)
	}
	f.Body.Nodes[1].In[0] = &ir.Value{Name: "nothing", Type: ir.TensorOf(tensor.Float32, ir.Sym("nowhere"))}
	if _, err := RunWithin(f, in, Limits{}); err == nil || !strings.Contains(err.Error(), `"y"`) || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("got %v, want an error at y", err)
	}
}

// TestLimitsOfScans: iterations whose results have no elements are stopped, and take memory all the same.
func TestLimitsOfScans(t *testing.T) {
	stop, full := errors.New("stop"), errors.New("full")
	for name, c := range map[string]struct {
		text string
		in   []tensor.Value
	}{
		"loop": {`func @main(%n: int64[], %x: float32[0]) -> (%s) {
  %s = Loop(%n, _)
    body(%i: int64[], %c: bool[]) -> (%c, %x) {
    }
}`, []tensor.Value{tensor.Of([]int64{1 << 62}), tensor.New(tensor.Float32, 0)}},
		"scan": {`func @main(%x: float32[n,0]) -> (%s) {
  %s = Scan(%x) {num_scan_inputs = 1}
    body(%v: float32[0]) -> (%v) {
    }
}`, []tensor.Value{tensor.New(tensor.Float32, 1<<30, 0)}},
	} {
		f := inferred(t, c.text)
		left := 100
		_, err := RunWithin(f, c.in, Limits{Stop: func() error {
			if left--; left < 0 {
				return stop
			}
			return nil
		}})
		if !errors.Is(err, stop) {
			t.Errorf("%s: got %v, want that it stops", name, err)
		}
		taken := 0
		_, err = RunWithin(f, c.in, Limits{Take: func(n int) error {
			if taken += n; taken > 1<<20 {
				return full
			}
			return nil
		}})
		if !errors.Is(err, full) {
			t.Errorf("%s: got %v, want that it takes memory", name, err)
		}
	}
}

// TestBytes checks the number of bytes that a tensor of a type and shape counts in limits.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		d     tensor.DType
		shape []int
		want  int
	}{
		{tensor.Float32, nil, 4}, {tensor.Int4, []int{3}, 3}, {tensor.String, []int{2, 3}, 96},
		{tensor.Int8, []int{0, math.MaxInt}, 0}, {tensor.Int8, []int{math.MaxInt, math.MaxInt}, math.MaxInt}, {tensor.Int8, []int{-1}, math.MaxInt},
	} {
		if got := Bytes(c.d, c.shape); got != c.want {
			t.Errorf("%v%v: got %d, want %d", c.d, c.shape, got, c.want)
		}
	}
}

// A kernel that was looked up once can be used for other operands of the same types.
func TestKernel(t *testing.T) {
	f := inferred(t, "func @main(%x: float32[2]) -> (%y) {\n  %y = Neg(%x)\n}")
	n := f.Body.Nodes[0]
	l, err := op.Lookup(n).Lowered(n, nil)
	if err != nil {
		t.Fatal(err)
	}
	vals := func(v ...float32) (map[*ir.Value]tensor.Value, []float32) {
		y := make([]float32, 2)
		return map[*ir.Value]tensor.Value{n.In[0]: tensor.Of(v, 2), n.Out[0]: tensor.Of(y, 2)}, y
	}
	operands, y := vals(1, 2)
	k, err := Resolve(l.Calls[0], operands)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := k.Run(); err != nil || y[0] != -1 || y[1] != -2 {
			t.Errorf("got %v, %v", y, err)
		}
	}
	operands, z := vals(3, 4)
	k.Move(operands)
	if err := k.Run(); err != nil || z[0] != -3 || z[1] != -4 || y[0] != -1 {
		t.Errorf("got %v and %v, %v", z, y, err)
	}
}
