package all_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// computed runs a model of one node with all passes. Inputs that are nil are omitted. The node is written without inputs and
// outputs, such as "Softmax {axis = 1}".
func computed(t *testing.T, outputs int, node string, in ...*tensor.Tensor) []*tensor.Tensor {
	t.Helper()
	out, err := compute(outputs, node, in...)
	if err != nil {
		t.Fatalf("%s: %v", node, err)
	}
	return out
}

func compute(outputs int, node string, in ...*tensor.Tensor) ([]*tensor.Tensor, error) {
	var params, args, results []string
	var values []tensor.Value
	for i, x := range in {
		if x == nil {
			args = append(args, "_")
			continue
		}
		dims := strings.ReplaceAll(strings.Trim(fmt.Sprint(x.Shape), "[]"), " ", ",")
		params = append(params, fmt.Sprintf("%%x%d: %s[%s]", i, x.DType, dims))
		args = append(args, fmt.Sprintf("%%x%d", i))
		values = append(values, x)
	}
	for i := range outputs {
		results = append(results, fmt.Sprintf("%%y%d", i))
	}
	name, attrs, _ := strings.Cut(node, " ")
	ys := strings.Join(results, ", ")
	text := fmt.Sprintf("module \"m\"\nopset 25\nfunc @main(%s) -> (%s) {\n  %s = %s(%s) %s\n}\n",
		strings.Join(params, ", "), ys, ys, name, strings.Join(args, ", "), attrs)
	m, err := ir.Parse("m.ir", text)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		return nil, err
	}
	got, err := eval.Run(m.Main, values)
	if err != nil {
		return nil, err
	}
	out := make([]*tensor.Tensor, len(got))
	for i, v := range got {
		out[i] = v.(*tensor.Tensor)
	}
	return out, nil
}

// drawn is a tensor of numbers of a normal distribution.
func drawn(rng *rand.Rand, shape ...int) *tensor.Tensor {
	x := tensor.New(tensor.Float64, shape...)
	for i := range x.Data.([]float64) {
		x.Data.([]float64)[i] = rng.NormFloat64()
	}
	return x
}

// closeTo compares with a tolerance; infinities and NaN must be the same.
func closeTo(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; !(math.Abs(g-w) <= tolerance*(1+math.Abs(w))) && g != w && !(g != g && w != w) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, g, w)
		}
	}
}
