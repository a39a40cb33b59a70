package op

import "github.com/bbgen/bbgen/ir"

// Mean is the mean of its inputs with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Mean.html
var Mean = &Op{
	Name:   "Mean",
	Since:  []int{1, 6, 8, 13},
	In:     Arity{1, Any},
	Out:    One,
	Infer:  inferVariadic(floats),
	Expand: expandMean,
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
