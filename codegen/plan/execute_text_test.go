package plan

import (
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestExecute executes the plans of the graphs in testdata, with two sizes for each symbol. The results must
// be those of an evaluation in which every value has memory of its own.
func TestExecute(t *testing.T) {
	golden.Run(t, "testdata/execute_*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse("in.ir", a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
		p, err := Make(m.Main, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{3, 5} {
			in := wave(m.Main, size)
			want, err := eval.Run(m.Main, in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := execute(p, in)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if err := compare.Values(got[i], want[i], compare.Tolerance{}); err != nil {
					t.Errorf("size %d, output %d: %v", size, i, err)
				}
			}
		}
	})
}

// wave returns inputs that are neither sorted nor all equal.
func wave(f *ir.Func, size int) []tensor.Value {
	var in []tensor.Value
	for _, v := range f.Body.Params {
		shape := make([]int, len(v.Type.Shape))
		for i, d := range v.Type.Shape {
			shape[i], _ = d.Eval(func(string) (int, bool) { return size, true })
		}
		x := tensor.New(v.Type.Elem, shape...)
		if d, ok := x.Data.([]float32); ok {
			for i := range d {
				d[i] = float32(i*7%11) - 5
			}
		}
		in = append(in, x)
	}
	return in
}
