package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// transforms are the transformations of scores, in TreeEnsemble's order.
var transforms = []string{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}

// postTransform changes scores in place.
func postTransform(l *op.Lowering, y *ir.Value, kind string, width int) {
	if kind != "NONE" {
		l.Call("PostTransform", y, kind, width)
	}
}

// classLabels returns the labels of a classifier, nil if it has none.
func classLabels(n *ir.Node) *tensor.Tensor {
	for _, a := range []string{"classlabels_ints", "classlabels_int64s"} {
		if v, ok := n.Attrs.Lookup(a).([]int64); ok && len(v) > 0 {
			return tensor.Of(v, len(v))
		}
	}
	if v := n.Strs("classlabels_strings"); len(v) > 0 {
		return tensor.Of(v, len(v))
	}
	return nil
}

// inferClasses infers the outputs of a classifier: a label and width scores for each row.
func inferClasses(c *op.Infer, rows ir.Dim, width int) error {
	labels := classLabels(c.Node)
	if labels == nil {
		return fmt.Errorf("has no class labels")
	}
	c.OutTensor(0, labels.DType, rows)
	c.OutTensor(1, tensor.Float32, rows, ir.C(width))
	return nil
}

// scoreMatrix returns the output for scores, or scratch memory if it is unused.
func scoreMatrix(l *op.Lowering, rows ir.Dim, width int) *ir.Value {
	if z := l.Res(1); z != nil {
		return z
	}
	return l.Scratch(tensor.Float32, rows, ir.C(width))
}

// topLabel writes the label of the largest of width scores.
func topLabel(l *op.Lowering, scores *ir.Value, width int) {
	if y := l.Res(0); y != nil {
		l.Call("TopLabel", y, scores, l.ConstTensor("labels", classLabels(l.Node)), width)
	}
}

// thresholdLabel writes the second label for scores above a threshold and the
// first one for others.
func thresholdLabel(l *op.Lowering, scores, labels *ir.Value, threshold float64) {
	if y := l.Res(0); y != nil {
		l.Call("ThresholdLabel", y, scores, labels, threshold)
	}
}

// twoLabels returns the labels for scores below and above a threshold: both of
// two, or the only one above and zero or nothing below.
func twoLabels(l *op.Lowering) *ir.Value {
	t := classLabels(l.Node)
	if t.Len() < 2 {
		pair := tensor.New(t.DType, 2)
		switch d := pair.Data.(type) {
		case []int64:
			d[1] = tensor.Data[int64](t)[0]
		case []string:
			d[1] = tensor.Data[string](t)[0]
		}
		t = pair
	}
	return l.ConstTensor("labels", t)
}
