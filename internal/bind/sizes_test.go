package bind

import (
	"maps"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestSizes: a size is that of all calls, or it is free.
func TestSizes(t *testing.T) {
	n, m := ir.Sym("n"), ir.Sym("m")
	of := func(d ...ir.Dim) ir.Type { return ir.TensorOf(tensor.Float32, d...) }
	call := func(ts ...ir.Type) []ir.Type { return ts }
	params := []*ir.Value{{Name: "x", Type: of(n, ir.C(2))}, {Name: "y", Type: of(n, m)}}
	for name, c := range map[string]struct {
		calls [][]ir.Type
		want  map[string]int
	}{
		"no call":           {nil, nil},
		"one":               {[][]ir.Type{call(of(ir.C(8), ir.C(2)), of(ir.C(8), ir.C(3)), of(ir.C(1)))}, map[string]int{"n": 8, "m": 3}},
		"two that agree":    {[][]ir.Type{call(of(ir.C(8), ir.C(2)), of(ir.C(8), ir.C(3))), call(of(ir.C(8), ir.C(2)), of(ir.C(8), ir.C(3)))}, map[string]int{"n": 8, "m": 3}},
		"two that do not":   {[][]ir.Type{call(of(ir.C(8), ir.C(2)), of(ir.C(8), ir.C(3))), call(of(ir.C(9), ir.C(2)), of(ir.C(9), ir.C(3)))}, map[string]int{"m": 3}},
		"one is free":       {[][]ir.Type{call(of(ir.Sym("k"), ir.C(2)), of(ir.C(8), ir.C(3)))}, map[string]int{"m": 3}},
		"no rank":           {[][]ir.Type{call(of(ir.C(8), ir.C(2)), ir.Type{Kind: ir.Tensor, Elem: tensor.Float32})}, nil},
		"from data as well": {[][]ir.Type{call(of(ir.C(8), ir.C(2)), of(ir.C(8), ir.C(3))), nil}, nil},
	} {
		if got := (&Called{Inputs: c.calls}).Sizes(params); !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
