package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SVMClassifier is the class that support vector machines for each two classes
// vote for. Without support vectors it is linear, with a score for each class.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_SVMClassifier.html
var SVMClassifier = &op.Op{
	Name:   "SVMClassifier",
	Domain: domain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "classlabels_ints", Kind: op.Ints},
		{Name: "classlabels_strings", Kind: op.Strings},
		{Name: "coefficients", Kind: op.Floats},
		{Name: "kernel_params", Kind: op.Floats},
		{Name: "kernel_type", Kind: op.String, Default: "LINEAR", Values: svmKernels},
		{Name: "post_transform", Kind: op.String, Default: "NONE", Values: transforms},
		{Name: "prob_a", Kind: op.Floats},
		{Name: "prob_b", Kind: op.Floats},
		{Name: "rho", Kind: op.Floats},
		{Name: "support_vectors", Kind: op.Floats},
		{Name: "vectors_per_class", Kind: op.Ints},
	},
	Inputs:  []op.Port{{Name: "X", Types: numbers}},
	Outputs: []op.Port{{Name: "Y", Types: elem.IntegersOrStrings}, {Name: "Z", Types: elem.Float32s, Optional: true}},
	Infer:   inferSVMClassifier,
	Lower:   lowerSVMClassifier,
	Stops:   "its scores are votes and calibrated pairs",
}

// svmSizes returns the numbers of classes, of pairs of classes, of support vectors and of scores of n.
func svmSizes(n *ir.Node) (classes, pairs, vectors, scores int) {
	if t := classLabels(n); t != nil {
		classes = t.Len()
	}
	for _, v := range n.Ints("vectors_per_class") {
		vectors += v
	}
	pairs, scores = classes*(classes-1)/2, classes
	if vectors > 0 && len(n.Floats("prob_a")) == 0 && pairs > 1 {
		scores = pairs
	}
	return classes, pairs, vectors, scores
}

func inferSVMClassifier(c *op.Infer) error {
	rows, cols, err := matrixSize(c)
	if err != nil {
		return err
	}
	classes, pairs, vectors, scores := svmSizes(c.Node)
	if classes == 0 || classes > 1<<12 {
		return fmt.Errorf("has %d class labels", classes)
	}
	for _, v := range c.Ints("vectors_per_class") {
		if v < 0 || v > 1<<30 {
			return fmt.Errorf("vectors_per_class are %v", c.Ints("vectors_per_class"))
		}
	}
	if vectors == 0 {
		err = checkSVM(c, cols, 0, classes, 1)
	} else {
		err = checkSVM(c, cols, vectors, classes-1, pairs)
	}
	if err != nil {
		return err
	}
	if n := len(c.Ints("vectors_per_class")); vectors > 0 && (n != classes || classes < 2) {
		return fmt.Errorf("vectors_per_class has %d elements, want one for each of %d labels, at least 2", n, classes)
	}
	if a, b := len(c.Floats("prob_a")), len(c.Floats("prob_b")); a != b || a != 0 && a != pairs {
		return fmt.Errorf("prob_a and prob_b have %d and %d elements, want %d", a, b, pairs)
	}
	return inferClasses(c, rows, scores)
}

func lowerSVMClassifier(l *op.Lowering) error {
	classes, pairs, vectors, scores := svmSizes(l.Node)
	x := l.In[op.X]
	rows, kind := rowsOf(x), l.Str("post_transform")
	z := scoreMatrix(l, rows, scores)
	if vectors == 0 {
		l.Call("SVMScores", z, (*ir.Value)(nil), (*ir.Value)(nil), x, svm(l, 0, classes))
		topLabel(l, z, classes)
		postTransform(l, z, kind, classes)
		return nil
	}
	p := svm(l, vectors, pairs, op.Field{Name: "PerClass", Value: l.Int64s("perclass", l.Ints("vectors_per_class"))},
		op.Field{Name: "ProbA", Value: l.Floats32("proba", l.Floats("prob_a"))}, op.Field{Name: "ProbB", Value: l.Floats32("probb", l.Floats("prob_b"))})
	votes, s := l.Scratch(tensor.Float32, rows, ir.C(classes)), z
	probable := len(l.Floats("prob_a")) > 0
	if probable || pairs == 1 {
		s = l.Scratch(tensor.Float32, rows, ir.C(pairs))
	}
	l.Call("SVMScores", s, votes, l.Scratch(tensor.Float64, ir.C(vectors)), x, p)
	topLabel(l, votes, classes)
	switch {
	case probable:
		square := ir.C(classes * classes)
		l.Call("SVMProbabilities", z, s, l.Scratch(tensor.Float64, square), l.Scratch(tensor.Float64, square), l.Scratch(tensor.Float64, ir.C(2*classes)), p)
	case pairs == 1:
		l.Call("TwoScores", z, s, false)
	}
	postTransform(l, z, kind, scores)
	return nil
}
