package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// LinearClassifier scores classes by linear functions of the features.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_LinearClassifier.html
var LinearClassifier = &Op{
	Name:   "LinearClassifier",
	Domain: mlDomain,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "classlabels_ints", Kind: Ints},
		{Name: "classlabels_strings", Kind: Strings},
		{Name: "coefficients", Kind: Floats, Required: true},
		{Name: "intercepts", Kind: Floats},
		{Name: "multi_class", Kind: Int, Default: 0},
		{Name: "post_transform", Kind: String, Default: "NONE", Values: transforms},
	},
	Inputs:  []Port{{Name: "X", Types: mlNumbers}},
	Outputs: []Port{{Name: "Y", Types: intOrString}, {Name: "Z", Types: float32s, Optional: true}},
	Infer:   inferLinearClassifier,
	Grad:    linearClassifierGrad,
	Lower:   lowerLinearClassifier,
}

// linear reports how many linear functions of cols features a node has.
func (c *Infer) linear(cols ir.Dim) (targets int, err error) {
	coef, intercepts := len(c.Floats("coefficients")), len(c.Floats("intercepts"))
	n, ok := cols.Const()
	if !ok || n <= 0 {
		return 0, fmt.Errorf("input %q has %s features, want a constant number", c.In[0].Name, cols)
	}
	if coef == 0 || coef%n != 0 {
		return 0, fmt.Errorf("has %d coefficients for %d features", coef, n)
	}
	if targets = coef / n; intercepts != 0 && intercepts != targets {
		return 0, fmt.Errorf("has %d intercepts, want %d", intercepts, targets)
	}
	return targets, nil
}

func inferLinearClassifier(c *Infer) error {
	rows, cols, err := c.rows()
	if err != nil {
		return err
	}
	targets, err := c.linear(cols)
	if err != nil {
		return err
	}
	labels := classLabels(c.Node)
	if labels == nil || labels.Len() != max(targets, 1) && targets != 1 || labels.Len() > 2 && targets == 1 {
		return fmt.Errorf("has %v labels and scores for %d classes", labels, targets)
	}
	return c.classes(rows, labels.Len())
}

func lowerLinearClassifier(l *Lowering) error {
	x := l.In[0]
	cols, _ := width(x).Const()
	coef, kind := l.Floats("coefficients"), l.Str("post_transform")
	targets, n := len(coef)/cols, classLabels(l.Node).Len()
	rows := rowsOf(x)
	z := l.scores(rows, n)
	s := z
	if targets != n {
		s = l.Scratch(tensor.Float32, rows, ir.C(targets))
	}
	l.Call("LinearScores", s, x, l.floats32("coefficients", coef), l.floats32("intercepts", l.Floats("intercepts")), cols, targets)
	if targets > 1 {
		l.topLabel(s, targets)
	} else {
		l.thresholdLabel(s, l.twoLabels(), 0)
	}
	if s != z {
		l.Call("TwoScores", z, s, false)
	}
	l.postTransform(z, kind, n)
	return nil
}

// dx = dscores·coefficients, where dscores went back through the transform
func linearClassifierGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, z, g := n.In[0], n.Out[1], dy[1]
	switch n.Str("post_transform") {
	case "NONE":
	case "LOGISTIC":
		g = b.Op("Mul", g, b.Op("Mul", z, b.Op("Sub", scalarLike(b, z, 1), z)))
	case "SOFTMAX":
		g = own(b, "SoftmaxGrad", attr("axis", -1), g, z)
	default:
		return []*ir.Value{NoGrad}
	}
	cols, _ := width(x).Const()
	coef := n.Floats("coefficients")
	if len(coef) == cols && classLabels(n).Len() == 2 { // -s and s
		sides := b.OpN("Split", 2, attr("axis", 1), g, b.Ints(1, 1))
		g = b.Op("Sub", sides[1], sides[0])
	}
	dx := b.Op("MatMul", g, b.Op("Reshape", floats32(b, coef), b.Ints(-1, cols)))
	return []*ir.Value{castTo(b, reshapeLike(b, dx, x), x.Type.Elem)}
}
