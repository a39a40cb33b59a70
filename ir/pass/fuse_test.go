package pass_test

import (
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestFuse shows the effect of Fuse on small graphs, and runs them before and after the pass.
func TestFuse(t *testing.T) {
	rewrites(t, "testdata/fuse_*.txtar", "out/fuse", pass.Fuse)
}

// TestRecognize shows the effect of Recognize on graphs that will be differentiated, and runs them before and after the pass.
func TestRecognize(t *testing.T) {
	rewrites(t, "testdata/recognize_*.txtar", "out/recognize", pass.Recognize, pass.DCE)
}

// TestLayout shows the effect of Layout on small graphs, and runs them before and after the pass.
func TestLayout(t *testing.T) {
	rewrites(t, "testdata/layout_*.txtar", "out/layout", pass.Layout, pass.DCE)
}

// TestJoin shows which convolutions write into a Concat, and runs graphs before and after the pass.
func TestJoin(t *testing.T) {
	rewrites(t, "testdata/join_*.txtar", "out/join", pass.Layout, pass.Join, pass.DCE)
}

// TestReroll shows which unrolled loops become Scans, and runs graphs before and after the pass.
func TestReroll(t *testing.T) {
	rewrites(t, "testdata/reroll_*.txtar", "out/reroll", pass.Reroll, pass.DCE)
}

// rewrites shows the effect of passes on graphs, which must compute the same before and after.
func rewrites(t *testing.T, files, section string, passes ...*pass.Pass) {
	golden.Run(t, files, func(t *testing.T, a *golden.Archive) {
		before, after := parse(t, a), parse(t, a)
		if err := pass.Run(after, passes, nil); err != nil {
			t.Fatal(err)
		}
		if err := ir.VerifyShapes(after); err != nil {
			t.Error(err)
		}
		a.Check(section, ir.Print(after))

		in := inputs(a.Name, before)
		want, err := eval.Run(before.Main, in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := eval.Run(after.Main, in)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range before.Main.Body.Results {
			near := compare.Tolerance{Rel: 1e-5, Abs: 1e-6}
			if v.Type.Elem == tensor.Float64 {
				near = compare.Tolerance{Rel: 1e-12, Abs: 1e-13}
			}
			if err := compare.Values(got[i], want[i], near); err != nil {
				t.Errorf("output %q: %v", v.Name, err)
			}
		}
	})
}

// parse reads a module and infers its types.
func parse(t *testing.T, a *golden.Archive) *ir.Module {
	t.Helper()
	m, err := ir.Parse("in.ir", a.Get("in.ir"))
	if err == nil {
		err = pass.Run(m, []*pass.Pass{pass.Infer, pass.Expand}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// inputs returns inputs, the same for a name each time. A symbol is 3.
func inputs(name string, m *ir.Module) []tensor.Value {
	h := fnv.New64()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	var in []tensor.Value
	for _, p := range m.Main.Body.Params {
		shape := make([]int, len(p.Type.Shape))
		for i, d := range p.Type.Shape {
			shape[i], _ = d.Eval(func(string) (int, bool) { return 3, true })
		}
		x := tensor.New(p.Type.Elem, shape...)
		switch d := x.Data.(type) {
		case []float32:
			for i := range d {
				d[i] = float32(r.NormFloat64())
			}
		case []float64:
			for i := range d {
				d[i] = r.NormFloat64()
			}
		case []int8:
			for i := range d {
				d[i] = int8(r.Uint32())
			}
		case []uint8:
			for i := range d {
				d[i] = uint8(r.Uint32())
			}
		case []bool:
			for i := range d {
				d[i] = i == 0 || r.IntN(2) == 0
			}
		}
		in = append(in, x)
	}
	return in
}
