package ml

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TreeEnsembleClassifier is the class that decision trees vote for. Two classes
// may have one score: a probability if no weight is negative, and a decision
// value around 0 if one is.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleClassifier.html
var TreeEnsembleClassifier = &op.Op{
	Name:   "TreeEnsembleClassifier",
	Domain: domain,
	Since:  []int{1, 3, 5},
	Attrs: []op.Attr{
		{Name: "base_values", Kind: op.Floats},
		{Name: "base_values_as_tensor", Kind: op.Tensor, Since: 3},
		{Name: "class_ids", Kind: op.Ints},
		{Name: "class_nodeids", Kind: op.Ints},
		{Name: "class_treeids", Kind: op.Ints},
		{Name: "class_weights", Kind: op.Floats},
		{Name: "class_weights_as_tensor", Kind: op.Tensor, Since: 3},
		{Name: "classlabels_int64s", Kind: op.Ints},
		{Name: "classlabels_strings", Kind: op.Strings},
		{Name: "nodes_falsenodeids", Kind: op.Ints},
		{Name: "nodes_featureids", Kind: op.Ints},
		{Name: "nodes_hitrates", Kind: op.Floats},
		{Name: "nodes_hitrates_as_tensor", Kind: op.Tensor, Since: 3},
		{Name: "nodes_missing_value_tracks_true", Kind: op.Ints},
		{Name: "nodes_modes", Kind: op.Strings},
		{Name: "nodes_nodeids", Kind: op.Ints},
		{Name: "nodes_treeids", Kind: op.Ints},
		{Name: "nodes_truenodeids", Kind: op.Ints},
		{Name: "nodes_values", Kind: op.Floats},
		{Name: "nodes_values_as_tensor", Kind: op.Tensor, Since: 3},
		{Name: "post_transform", Kind: op.String, Default: "NONE", Values: transforms},
	},
	Inputs:  []op.Port{{Name: "X", Types: numbers}},
	Outputs: []op.Port{{Name: "Y", Types: elem.IntegersOrStrings}, {Name: "Z", Types: elem.Float32s, Optional: true}},
	Infer:   inferTreeEnsembleClassifier,
	Lower:   lowerTreeEnsembleClassifier,
	Stops:   op.StopStepwise,
}

// classTrees reads the trees of a classifier. If it is binary, only one class,
// id, has weights, and these go to target 0; id is -1 if not.
func classTrees(n *ir.Node) (f *forest, id int, err error) {
	labels := classLabels(n)
	if labels == nil {
		return nil, 0, fmt.Errorf("has no class labels")
	}
	if f, err = listedTrees(n, "class"); err != nil {
		return nil, 0, err
	}
	if err := f.check(ir.Sym("_"), labels.Len()); err != nil {
		return nil, 0, err
	}
	if labels.Len() > 2 || len(f.target) == 0 {
		return f, -1, nil
	}
	id = int(f.target[0])
	for _, t := range f.target {
		if int(t) != id {
			return f, -1, nil
		}
	}
	clear(f.target)
	return f, id, nil
}

func inferTreeEnsembleClassifier(c *op.Infer) error {
	rows, cols, err := matrixSize(c)
	if err != nil {
		return err
	}
	f, id, err := classTrees(c.Node)
	if err != nil {
		return err
	}
	n := classLabels(c.Node).Len()
	base := len(floatsOf(c.Node, "base_values"))
	if base > 0 && base != n && !(id == 0 && base == 1) {
		return fmt.Errorf("has %d base values for %d classes", base, n)
	}
	if err := f.check(cols, n); err != nil {
		return err
	}
	if id >= 0 {
		n = 2
	}
	return inferClasses(c, rows, n)
}

func lowerTreeEnsembleClassifier(l *op.Lowering) error {
	f, id, err := classTrees(l.Node)
	if err != nil {
		return err
	}
	base, kind := floatsOf(l.Node, "base_values"), l.Str("post_transform")
	rows := rowsOf(l.In[op.X])
	if id < 0 {
		n := classLabels(l.Node).Len()
		z := scoreMatrix(l, rows, n)
		trees(l, z, f, base, "SUM", n)
		topLabel(l, z, n)
		postTransform(l, z, kind, n)
		return nil
	}
	s := l.Scratch(tensor.Float32, rows, ir.C(1))
	trees(l, s, f, base[min(id, len(base)):min(id+1, len(base))], "SUM", 1)
	probability := !slices.ContainsFunc(f.weight, func(w float64) bool { return w < 0 })
	threshold := 0.0
	if probability {
		threshold = 0.5
	}
	thresholdLabel(l, s, twoLabels(l), threshold)
	if z := l.Res(1); z != nil {
		l.Call("TwoScores", z, s, kind == "PROBIT" || kind == "NONE" && probability)
		postTransform(l, z, kind, 2)
	}
	return nil
}
