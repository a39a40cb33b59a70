package contrib

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// QLinearConcat is Concat of bytes, each part with a scale of its own. The scale and the zero point of the result are
// the first inputs.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearConcat
var QLinearConcat = &op.Op{
	Name:   "QLinearConcat",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs:  []op.Attr{{Name: "axis", Kind: op.Int, Required: true}},
	Inputs: []op.Port{
		{Name: "Y_scale", Types: elem.Floats},
		{Name: "Y_zero_point", Types: elem.Bytes},
		{Name: "inputs", Types: elem.Float32s.With(elem.Bytes), Variadic: true, Mixed: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "Y_zero_point"}},
	Expand:  qLinearConcat,
}

// qLinearConcat has the scale and the zero point of the result first.
func qLinearConcat(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if len(n.In)%3 != 2 {
		return nil, fmt.Errorf("has %d inputs, want 2 and three for each part", len(n.In))
	}
	q := qnode{b, n}
	var parts []*ir.Value
	for i := 2; i < len(n.In); i += 3 {
		parts = append(parts, q.dequantized(i))
	}
	return []*ir.Value{q.quantized(b.OpA("Concat", given(n, "axis"), parts...), 0)}, nil
}
