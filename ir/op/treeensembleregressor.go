package op

import (
	"fmt"
	"slices"

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
	In:     One,
	Out:    One,
	Infer:  inferTreeEnsembleRegressor,
	Lower:  lowerTreeEnsembleRegressor,
	Stops:  stepwise,
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
	targets := c.Int("n_targets", 1)
	if targets < 1 || targets > 1<<24 {
		return fmt.Errorf("n_targets is %d", targets)
	}
	if n := len(floatsOf(c.Node, "base_values")); n != 0 && n != targets {
		return fmt.Errorf("has %d base values, want %d", n, targets)
	}
	if a := c.Str("aggregate_function", "SUM"); !slices.Contains(aggregates, a) {
		return fmt.Errorf("aggregate_function is %q, want one of %v", a, aggregates)
	}
	c.OutTensor(0, tensor.Float32, rows, ir.C(targets))
	if err := checkTransform(c.Node); err != nil {
		return err
	}
	return f.check(cols, targets)
}

func lowerTreeEnsembleRegressor(l *Lowering) error {
	f, err := listedTrees(l.Node, "target")
	if err != nil {
		return err
	}
	targets := l.Int("n_targets", 1)
	l.trees(l.Out[0], f, floatsOf(l.Node, "base_values"), l.Str("aggregate_function", "SUM"), targets)
	l.postTransform(l.Out[0], l.Str("post_transform", "NONE"), targets)
	return nil
}
