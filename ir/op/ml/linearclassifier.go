package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// LinearClassifier scores classes by linear functions of the features.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_LinearClassifier.html
var LinearClassifier = &op.Op{
	Name:   "LinearClassifier",
	Domain: domain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "classlabels_ints", Kind: op.Ints},
		{Name: "classlabels_strings", Kind: op.Strings},
		{Name: "coefficients", Kind: op.Floats, Required: true},
		{Name: "intercepts", Kind: op.Floats},
		{Name: "multi_class", Kind: op.Int, Default: 0},
		{Name: "post_transform", Kind: op.String, Default: "NONE", Values: transforms},
	},
	Inputs:  []op.Port{{Name: "X", Types: numbers}},
	Outputs: []op.Port{{Name: "Y", Types: elem.IntegersOrStrings}, {Name: "Z", Types: elem.Float32s, Optional: true}},
	Infer:   inferLinearClassifier,
	Grad:    linearClassifierGrad,
	Lower:   lowerLinearClassifier,
}

// linear returns the number of linear functions of cols features.
func linear(c *op.Infer, cols ir.Dim) (targets int, err error) {
	coef, intercepts := len(c.Floats("coefficients")), len(c.Floats("intercepts"))
	n, ok := cols.Const()
	if !ok || n <= 0 {
		return 0, fmt.Errorf("input %q has %s features, want a constant number", c.In[op.X].Name, cols)
	}
	if coef == 0 || coef%n != 0 {
		return 0, fmt.Errorf("has %d coefficients for %d features", coef, n)
	}
	if targets = coef / n; intercepts != 0 && intercepts != targets {
		return 0, fmt.Errorf("has %d intercepts, want %d", intercepts, targets)
	}
	return targets, nil
}

func inferLinearClassifier(c *op.Infer) error {
	rows, cols, err := matrixSize(c)
	if err != nil {
		return err
	}
	targets, err := linear(c, cols)
	if err != nil {
		return err
	}
	labels := classLabels(c.Node)
	if labels == nil || labels.Len() != max(targets, 1) && targets != 1 || labels.Len() > 2 && targets == 1 {
		return fmt.Errorf("has %v labels and scores for %d classes", labels, targets)
	}
	return inferClasses(c, rows, labels.Len())
}

func lowerLinearClassifier(l *op.Lowering) error {
	x := l.In[op.X]
	cols, _ := width(x).Const()
	coef, kind := l.Floats("coefficients"), l.Str("post_transform")
	targets, n := len(coef)/cols, classLabels(l.Node).Len()
	rows := rowsOf(x)
	z := scoreMatrix(l, rows, n)
	s := z
	if targets != n {
		s = l.Scratch(tensor.Float32, rows, ir.C(targets))
	}
	l.Call("LinearScores", s, x, l.Floats32("coefficients", coef), l.Floats32("intercepts", l.Floats("intercepts")), cols, targets)
	if targets > 1 {
		topLabel(l, s, targets)
	} else {
		thresholdLabel(l, s, twoLabels(l), 0)
	}
	if s != z {
		l.Call("TwoScores", z, s, false)
	}
	postTransform(l, z, kind, n)
	return nil
}

// dx = dscores·coefficients, where dscores went back through the transform
func linearClassifierGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, z, g := n.In[op.X], n.Out[1], dy[1]
	switch n.Str("post_transform") {
	case "NONE":
	case "LOGISTIC":
		g = b.Op("Mul", g, b.Op("Mul", z, b.Op("Sub", op.ScalarLike(b, z, 1), z)))
	case "SOFTMAX":
		g = op.OwnNode(b, "SoftmaxGrad", op.Attrs("axis", -1), g, z)
	default:
		return []*ir.Value{op.NoGrad}
	}
	cols, _ := width(x).Const()
	coef := n.Floats("coefficients")
	if len(coef) == cols && classLabels(n).Len() == 2 { // -s and s
		sides := b.OpN("Split", 2, op.Attrs("axis", 1), g, b.Ints(1, 1))
		g = b.Op("Sub", sides[1], sides[0])
	}
	dx := b.Op("MatMul", g, b.Op("Reshape", floats32(b, coef), b.Ints(-1, cols)))
	return []*ir.Value{op.CastTo(b, op.ReshapeLike(b, dx, x), x.Type.Elem)}
}
