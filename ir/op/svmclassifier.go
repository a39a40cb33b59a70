package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SVMClassifier is the class that support vector machines for each two classes
// vote for. Without support vectors it is linear, with a score for each class.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_SVMClassifier.html
var SVMClassifier = &Op{
	Name:   "SVMClassifier",
	Domain: mlDomain,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "classlabels_ints", Kind: Ints},
		{Name: "classlabels_strings", Kind: Strings},
		{Name: "coefficients", Kind: Floats},
		{Name: "kernel_params", Kind: Floats},
		{Name: "kernel_type", Kind: String, Default: "LINEAR", Values: svmKernels},
		{Name: "post_transform", Kind: String, Default: "NONE", Values: transforms},
		{Name: "prob_a", Kind: Floats},
		{Name: "prob_b", Kind: Floats},
		{Name: "rho", Kind: Floats},
		{Name: "support_vectors", Kind: Floats},
		{Name: "vectors_per_class", Kind: Ints},
	},
	Inputs:  []Port{{Name: "X", Types: mlNumbers}},
	Outputs: []Port{{Name: "Y", Types: intOrString}, {Name: "Z", Types: float32s, Optional: true}},
	Infer:   inferSVMClassifier,
	Lower:   lowerSVMClassifier,
	Stops:   "its scores are votes and calibrated pairs",
}

// svmSizes is how many classes, pairs of classes and support vectors n has, and
// how many scores it gives.
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

func inferSVMClassifier(c *Infer) error {
	rows, cols, err := c.rows()
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
		err = c.checkSVM(cols, 0, classes, 1)
	} else {
		err = c.checkSVM(cols, vectors, classes-1, pairs)
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
	return c.classes(rows, scores)
}

func lowerSVMClassifier(l *Lowering) error {
	classes, pairs, vectors, scores := svmSizes(l.Node)
	x := l.In[0]
	rows, kind := rowsOf(x), l.Str("post_transform")
	z := l.scores(rows, scores)
	if vectors == 0 {
		l.Call("SVMScores", z, (*ir.Value)(nil), (*ir.Value)(nil), x, l.svm(0, classes))
		l.topLabel(z, classes)
		l.postTransform(z, kind, classes)
		return nil
	}
	p := l.svm(vectors, pairs, Field{"PerClass", l.int64s("perclass", l.Ints("vectors_per_class"))},
		Field{"ProbA", l.floats32("proba", l.Floats("prob_a"))}, Field{"ProbB", l.floats32("probb", l.Floats("prob_b"))})
	votes, s := l.Scratch(tensor.Float32, rows, ir.C(classes)), z
	probable := len(l.Floats("prob_a")) > 0
	if probable || pairs == 1 {
		s = l.Scratch(tensor.Float32, rows, ir.C(pairs))
	}
	l.Call("SVMScores", s, votes, l.Scratch(tensor.Float64, ir.C(vectors)), x, p)
	l.topLabel(votes, classes)
	switch {
	case probable:
		square := ir.C(classes * classes)
		l.Call("SVMProbabilities", z, s, l.Scratch(tensor.Float64, square), l.Scratch(tensor.Float64, square), l.Scratch(tensor.Float64, ir.C(2*classes)), p)
	case pairs == 1:
		l.Call("TwoScores", z, s, false)
	}
	l.postTransform(z, kind, scores)
	return nil
}
