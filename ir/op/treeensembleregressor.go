package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TreeEnsembleRegressor is the scores that decision trees give together.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleRegressor.html
var TreeEnsembleRegressor = &Op{
	Name:   "TreeEnsembleRegressor",
	Domain: mlDomain,
	Since:  []int{1, 3, 5},
	Attrs: []Attr{
		{Name: "aggregate_function", Kind: String, Default: "SUM", Values: aggregates},
		{Name: "base_values", Kind: Floats},
		{Name: "base_values_as_tensor", Kind: Tensor, Since: 3},
		{Name: "n_targets", Kind: Int, Default: 1},
		{Name: "nodes_falsenodeids", Kind: Ints},
		{Name: "nodes_featureids", Kind: Ints},
		{Name: "nodes_hitrates", Kind: Floats},
		{Name: "nodes_hitrates_as_tensor", Kind: Tensor, Since: 3},
		{Name: "nodes_missing_value_tracks_true", Kind: Ints},
		{Name: "nodes_modes", Kind: Strings},
		{Name: "nodes_nodeids", Kind: Ints},
		{Name: "nodes_treeids", Kind: Ints},
		{Name: "nodes_truenodeids", Kind: Ints},
		{Name: "nodes_values", Kind: Floats},
		{Name: "nodes_values_as_tensor", Kind: Tensor, Since: 3},
		{Name: "post_transform", Kind: String, Default: "NONE", Values: transforms},
		{Name: "target_ids", Kind: Ints},
		{Name: "target_nodeids", Kind: Ints},
		{Name: "target_treeids", Kind: Ints},
		{Name: "target_weights", Kind: Floats},
		{Name: "target_weights_as_tensor", Kind: Tensor, Since: 3},
	},
	Inputs:  []Port{{Name: "X", Types: mlNumbers}},
	Outputs: []Port{{Name: "Y", Types: float32s}},
	Infer:   inferTreeEnsembleRegressor,
	Lower:   lowerTreeEnsembleRegressor,
	Stops:   stepwise,
}

func inferTreeEnsembleRegressor(c *Infer) error {
	rows, cols, err := c.rows()
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

func lowerTreeEnsembleRegressor(l *Lowering) error {
	f, err := listedTrees(l.Node, "target")
	if err != nil {
		return err
	}
	targets := l.Int("n_targets")
	l.trees(l.Out[0], f, floatsOf(l.Node, "base_values"), l.Str("aggregate_function"), targets)
	l.postTransform(l.Out[0], l.Str("post_transform"), targets)
	return nil
}
