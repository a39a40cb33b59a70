package op

import "github.com/bbgen/bbgen/ir"

// Mean is the mean of its inputs with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Mean.html
var Mean = &Op{
	Name:    "Mean",
	Since:   []int{1, 6, 8, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "data_0", Types: floats, Variadic: true, Min: 1}},
	Outputs: []Port{{Name: "mean", Like: "data_0"}},
	Infer:   inferBinary,
	Expand:  expandMean,

	Pointwise: everyNode,
}

func expandMean(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if len(n.In) == 1 {
		return n.In, nil
	}
	if Small(n) {
		return Widened(b, n), nil
	}
	sum := b.Op("Sum", n.In...)
	return []*ir.Value{b.Op("Div", sum, b.Scalar(sum.Type.Elem, float64(len(n.In))))}, nil
}
