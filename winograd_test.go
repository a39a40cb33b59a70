package bbgen_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The filters of a convolution are transformed when the program starts, unless an option prevents that.
func TestNoWinograd(t *testing.T) {
	const text = `module "m"
opset 20

func @main(%x: float32[1,64,28,28], %w: float32[64,64,3,3]) -> (%y) {
  %y = Conv(%x, %w) {pads = [1, 1, 1, 1]}
}
`
	for _, conv := range []string{"", pass.Direct} {
		m, err := ir.Parse("in.ir", text)
		if err != nil {
			t.Fatal(err)
		}
		m.Main.Body.Nodes[0].In[1] = ir.NewConst("w", tensor.New(tensor.Float32, 64, 64, 3, 3))
		m.Main.Body.Params = m.Main.Body.Params[:1]
		r, err := bbgen.Compile(m, bbgen.Config{Options: pass.Options{Conv: conv}, Until: "plan"})
		if err != nil {
			t.Fatal(err)
		}
		made := slices.ContainsFunc(r.Plan.Weights, func(w *plan.Weight) bool { return w.Maker == "WinogradFilters32" })
		if made != (conv == "") {
			t.Errorf("Conv is %q, and filters are transformed is %v", conv, made)
		}
	}
}

// The filters of a quantized convolution may be transformed, too: each kernel has the form that it reads, of data that the
// file has once.
func TestQuantizedWinograd(t *testing.T) {
	const text = `module "m"
opset 20

func @main(%%x: uint8[1,%[1]d,28,28], %%w: int8[32,%[1]d,3,3], %%add: int32[32], %%shift: int32[32]) -> (%%y) {
  %%y = ai.bbgen:QConv(%%x, %%w, %%add%[2]s) {pads = [1, 1, 1, 1], to = 6%[3]s}
}
`
	for _, c := range []struct {
		channels         int
		operands, stride string
		want             bool
	}{
		{64, "", "", true},
		{64, "", ", strides = [2, 2]", false},
		{24, "", "", false},
		{64, ", _, %shift", "", true},
	} {
		m, err := ir.Parse("in.ir", fmt.Sprintf(text, c.channels, c.operands, c.stride))
		if err != nil {
			t.Fatal(err)
		}
		n := m.Main.Body.Nodes[0]
		n.In[1] = ir.NewConst("w", tensor.New(tensor.Int8, 32, c.channels, 3, 3))
		n.In[2] = ir.NewConst("add", tensor.New(tensor.Int32, 32))
		if len(n.In) > 4 {
			n.In[4] = ir.NewConst("shift", tensor.New(tensor.Int32, 32))
		}
		m.Main.Body.Params = m.Main.Body.Params[:1]
		r, err := bbgen.Compile(m, bbgen.Config{Until: "plan"})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Plan.Weights, func(w *plan.Weight) bool { return w.Maker == "WinogradFilters8" })
		if (i >= 0) != c.want {
			t.Errorf("%d channels%s%s: filters are transformed is %v", c.channels, c.operands, c.stride, i >= 0)
		}
		if most := 9*32*c.channels + 4096; r.Plan.WeightBytes() > most || r.Plan.WeightsFile().Len > most {
			t.Errorf("%d channels%s%s: the file has %d bytes, want at most %d", c.channels, c.operands, c.stride, r.Plan.WeightsFile().Len, most)
		}
		if i >= 0 && !slices.Equal(r.Plan.Weights[i].Sizes, []int{64, 32, 28, 28}) {
			t.Errorf("the sizes are %v, want channels, filters, height and width", r.Plan.Weights[i].Sizes)
		}
	}
}
