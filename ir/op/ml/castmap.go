package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// CastMap converts a map to a row: its values in the order of its keys (DENSE), or each value at the position
// of its key (SPARSE).
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_CastMap.html
var CastMap = &op.Op{
	Name:   "CastMap",
	Domain: domain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "cast_to", Kind: op.String, Default: "TO_FLOAT", Values: []string{"TO_FLOAT", "TO_INT64", "TO_STRING"}},
		{Name: "map_form", Kind: op.String, Default: "DENSE", Values: []string{"DENSE", "SPARSE"}},
		{Name: "max_map", Kind: op.Int, Default: 1},
	},
	Inputs:  []op.Port{{Name: "X", Types: op.AMap}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s.With(elem.IntegersOrStrings)}},
	Infer:   inferCastMap,
	Lower:   lowerCastMap,
	Stops:   op.StopLists,
}

// mapCasts are the values of CastMap's cast_to.
var mapCasts = map[string]tensor.DType{"TO_FLOAT": tensor.Float32, "TO_INT64": tensor.Int64, "TO_STRING": tensor.String}

func inferCastMap(c *op.Infer) error {
	key, _, err := mapOf(c, 0)
	if err != nil {
		return err
	}
	if key != tensor.Int64 {
		return fmt.Errorf("input %q has keys of type %s, want int64", c.In[op.X].Name, key)
	}
	to := mapCasts[c.Str("cast_to")]
	switch c.Str("map_form") {
	case "DENSE":
		c.OutTensor(0, to, ir.C(1), c.Fresh("keys"))
	case "SPARSE":
		n := c.Int("max_map")
		if n < 1 || n > 1<<30 {
			return fmt.Errorf("max_map is %d, want 1 or more", n)
		}
		c.OutTensor(0, to, ir.C(1), ir.C(n))
	}
	return nil
}

func lowerCastMap(l *op.Lowering) error {
	y, x := l.Out[0], l.In[op.X]
	sparse := l.Str("map_form") == "SPARSE"
	if !sparse {
		l.Count(0, "MapLen", x)
	}
	to := y
	if elem := x.Type.Of.Elem; elem != y.Type.Elem {
		to = l.Scratch(elem, op.Shape(y)...)
	}
	if sparse {
		l.Call("MapSpread", to, x, l.ConstTensor("other", noValue(to.Type.Elem, y.Type.Elem)))
	} else {
		l.Call("MapValues", to, x)
	}
	if to != y {
		l.Cast(y, to)
	}
	return nil
}

// noValue returns the value of a key that a map does not have, before it is cast.
func noValue(elem, to tensor.DType) *tensor.Tensor {
	switch {
	case elem == tensor.String && to == tensor.String:
		return tensor.Of([]string{"0.f"}, 1) // as in ONNX Runtime
	case elem == tensor.String:
		return tensor.Of([]string{"0"}, 1)
	}
	return tensor.New(elem, 1)
}
