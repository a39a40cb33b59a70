package pass_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// filters returns normally distributed filters of the given shape.
func filters(rng *rand.Rand, shape ...int) *tensor.Tensor {
	t := tensor.New(tensor.Float32, shape...)
	for i := range tensor.Data[float32](t) {
		tensor.Data[float32](t)[i] = float32(rng.NormFloat64())
	}
	return t
}

// convolution returns a module with one convolution.
func convolution(t *testing.T, in string, w *tensor.Tensor, attrs string) *ir.Module {
	t.Helper()
	shape := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(w.Shape), "[]")), ",")
	text := fmt.Sprintf("module \"m\"\nopset 20\n\nfunc @main(%%x: float32%s, %%w: float32[%s]) -> (%%y) {\n  %%y = Conv(%%x, %%w) {%s}\n}\n",
		in, shape, attrs)
	m, err := ir.Parse("in.ir", text)
	if err != nil {
		t.Fatal(err)
	}
	n := m.Main.Body.Nodes[0]
	n.In[1] = ir.NewConst("w", w)
	m.Main.Body.Params = m.Main.Body.Params[:1]
	if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err != nil {
		t.Fatal(err)
	}
	return m
}

// marked reports whether any convolution is marked for Winograd's transforms.
func marked(m *ir.Module) bool {
	return slices.ContainsFunc(m.Main.Body.Nodes, func(n *ir.Node) bool { return n.Has("winograd") })
}

// TestWinograd marks the convolutions for which the transforms are suitable and faster, and none without the
// pass.
func TestWinograd(t *testing.T) {
	const same = "pads = [1, 1, 1, 1]"
	for _, c := range []struct {
		name  string
		in    string
		shape []int
		attrs string
		want  bool
	}{
		{"many pixels", "[1,64,56,56]", []int{64, 64, 3, 3}, same, true},
		{"any batch", "[N,64,28,28]", []int{64, 64, 3, 3}, same, true},
		{"no padding", "[1,64,30,30]", []int{64, 64, 3, 3}, "pads = [0, 0, 0, 0]", true},
		{"few pixels, large filters", "[1,512,7,7]", []int{512, 512, 3, 3}, same, true},
		{"very few pixels", "[1,512,4,4]", []int{512, 512, 3, 3}, same, false},
		{"small in every way", "[1,48,4,4]", []int{12, 48, 3, 3}, same, false},
		{"sides not known", "[1,64,H,56]", []int{64, 64, 3, 3}, same, true},
		{"every second pixel", "[1,64,56,56]", []int{64, 64, 3, 3}, same + ", strides = [2, 2]", false},
		{"taps apart", "[1,64,56,56]", []int{64, 64, 3, 3}, same + ", dilations = [2, 2]", false},
		{"large groups", "[1,128,56,56]", []int{128, 64, 3, 3}, same + ", group = 2", true},
		{"narrow groups", "[1,128,56,56]", []int{128, 8, 3, 3}, same + ", group = 16", false},
		{"five taps", "[1,64,56,56]", []int{64, 64, 5, 5}, same, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := tensor.New(tensor.Float32, c.shape...)
			m, plain := convolution(t, c.in, w, c.attrs), convolution(t, c.in, w, c.attrs)
			if err := pass.Run(m, []*pass.Pass{pass.Layout, pass.Winograd}, nil); err != nil {
				t.Fatal(err)
			}
			if marked(m) != c.want {
				t.Errorf("marked is %v, want %v:\n%s", marked(m), c.want, m.Main.Body.Nodes)
			}
			if err := pass.Run(plain, pass.Pipeline, &pass.Context{Options: pass.Options{Conv: pass.Direct}}); err != nil || marked(plain) {
				t.Errorf("without the pass: %v, marked is %v", err, marked(plain))
			}
		})
	}
}

// TestWinogradComputes runs a convolution, and one in groups, directly and with each size of tiles.
func TestWinogradComputes(t *testing.T) {
	for groups := 1; groups <= 2; groups++ {
		rng := rand.New(rand.NewPCG(1, 2))
		w, x := filters(rng, 32, 32/groups, 3, 3), filters(rng, 1, 32, 30, 31)
		run := func(algorithm string) tensor.Value {
			m := convolution(t, "[1,32,30,31]", w, fmt.Sprintf("pads = [1, 1, 1, 1], group = %d", groups))
			if err := pass.Run(m, []*pass.Pass{pass.Layout, pass.Winograd}, &pass.Context{Options: pass.Options{Conv: algorithm}}); err != nil {
				t.Fatal(err)
			}
			if marked(m) != (algorithm != pass.Direct) {
				t.Errorf("%s, %d groups: marked is %v", algorithm, groups, marked(m))
			}
			y, err := eval.Run(m.Main, []tensor.Value{x})
			if err != nil {
				t.Fatal(err)
			}
			return y[0]
		}
		// The sums have a standard deviation of at most 17.
		for algorithm, bits := range map[string]float64{pass.ByWinograd: 1 << 16, pass.BySmallWinograd: 1 << 18} {
			if err := compare.Values(run(algorithm), run(pass.Direct), compare.Tolerance{Abs: 17. / bits}); err != nil {
				t.Errorf("%s, %d groups: %v", algorithm, groups, err)
			}
		}
	}
}
