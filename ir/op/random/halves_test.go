package random

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// finiteHalves returns all finite numbers of float16 or bfloat16.
func finiteHalves(t tensor.DType) []float64 {
	var out []float64
	for code := range 1 << 16 {
		v := float64(tensor.F16(code).Float32())
		if t == tensor.BFloat16 {
			v = float64(tensor.BF16(code).Float32())
		}
		if v-v == 0 {
			out = append(out, v)
		}
	}
	return out
}

// TestBelow compares the number below a limit with a search in all numbers.
func TestBelow(t *testing.T) {
	for _, d := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		all := finiteHalves(d)
		limits := []float64{0, math.SmallestNonzeroFloat64, 1e-30, -1e-30, 0.1, 1, 1 + 1e-9, 1 - 1e-9, 65504, 65519, 1e300, math.Inf(1)}
		for i := 0; i < len(all); i += 997 {
			limits = append(limits, all[i], all[i]+math.Abs(all[i])*1e-6)
		}
		for _, limit := range limits {
			want := math.Inf(-1)
			for _, v := range all {
				if v < limit {
					want = max(want, v)
				}
			}
			if got := below(d, limit); got != want {
				t.Errorf("%v: below %v is %v, want %v", d, limit, got, want)
			}
		}
	}
}

// TestCount: a node that counts by a symbol says so, and its numbers are those of that symbol.
func TestCount(t *testing.T) {
	n := &ir.Node{Op: "RandomUniform"}
	Count(n, "step")
	if len(n.Attrs) != 1 || n.Attrs[0].Name != "counter" || n.Attrs[0].Value != "step" {
		t.Errorf("the attributes are %v, want the counter step", n.Attrs)
	}
}
