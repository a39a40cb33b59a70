package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TreeEnsembleRegressor computes scores with decision trees.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleRegressor.html
var TreeEnsembleRegressor = &op.Op{
	Name:   "TreeEnsembleRegressor",
	Domain: domain,
	Since:  []int{1, 3, 5},
	Attrs: []op.Attr{
		{Name: "aggregate_function", Kind: op.String, Default: "SUM", Values: aggregates},
		{Name: "base_values", Kind: op.Floats},
		{Name: "base_values_as_tensor", Kind: op.Tensor, Since: 3},
		{Name: "n_targets", Kind: op.Int, Default: 1},
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
		{Name: "target_ids", Kind: op.Ints},
		{Name: "target_nodeids", Kind: op.Ints},
		{Name: "target_treeids", Kind: op.Ints},
		{Name: "target_weights", Kind: op.Floats},
		{Name: "target_weights_as_tensor", Kind: op.Tensor, Since: 3},
	},
	Inputs:  []op.Port{{Name: "X", Types: numbers}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferTreeEnsembleRegressor,
	Lower:   lowerTreeEnsembleRegressor,
	Stops:   op.StopStepwise,
}

func inferTreeEnsembleRegressor(c *op.Infer) error {
	rows, cols, err := matrixSize(c)
	if err != nil {
		return err
	}
	f, err := listedTrees(c.Node, "target")
	if err != nil {
		return err
	}
	targets := c.Int("n_targets")
	if targets < 1 || targets > 1<<24 {
		return fmt.Errorf("n_targets is %d", targets)
	}
	if n := len(floatsOf(c.Node, "base_values")); n != 0 && n != targets {
		return fmt.Errorf("has %d base values, want %d", n, targets)
	}
	c.OutTensor(0, tensor.Float32, rows, ir.C(targets))
	return f.check(cols, targets)
}

func lowerTreeEnsembleRegressor(l *op.Lowering) error {
	f, err := listedTrees(l.Node, "target")
	if err != nil {
		return err
	}
	targets := l.Int("n_targets")
	trees(l, l.Out[0], f, floatsOf(l.Node, "base_values"), l.Str("aggregate_function"), targets)
	postTransform(l, l.Out[0], l.Str("post_transform"), targets)
	return nil
}
