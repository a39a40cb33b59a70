package ml

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TreeEnsemble computes scores with decision trees.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html
var TreeEnsemble = &op.Op{
	Name:   "TreeEnsemble",
	Domain: domain,
	Since:  []int{5},
	Attrs: []op.Attr{
		{Name: "aggregate_function", Kind: op.Int, Default: 1},
		{Name: "leaf_targetids", Kind: op.Ints, Required: true},
		{Name: "leaf_weights", Kind: op.Tensor, Required: true},
		{Name: "membership_values", Kind: op.Tensor},
		{Name: "n_targets", Kind: op.Int, Default: 1},
		{Name: "nodes_falseleafs", Kind: op.Ints, Required: true},
		{Name: "nodes_falsenodeids", Kind: op.Ints, Required: true},
		{Name: "nodes_featureids", Kind: op.Ints, Required: true},
		{Name: "nodes_hitrates", Kind: op.Tensor},
		{Name: "nodes_missing_value_tracks_true", Kind: op.Ints},
		{Name: "nodes_modes", Kind: op.Tensor, Required: true},
		{Name: "nodes_splits", Kind: op.Tensor, Required: true},
		{Name: "nodes_trueleafs", Kind: op.Ints, Required: true},
		{Name: "nodes_truenodeids", Kind: op.Ints, Required: true},
		{Name: "post_transform", Kind: op.Int, Default: 0},
		{Name: "tree_roots", Kind: op.Ints, Required: true},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferTreeEnsemble,
	Lower:   lowerTreeEnsemble,
	Widen:   true,
	Stops:   op.StopStepwise,
}

// aggregates are the functions that combine the scores of trees, in TreeEnsemble's order.
var aggregates = []string{"AVERAGE", "SUM", "MIN", "MAX"}

func inferTreeEnsemble(c *op.Infer) error {
	x, err := c.Rank(op.X, 2)
	if err != nil {
		return err
	}
	f, err := indexedTrees(c.Node)
	if err != nil {
		return err
	}
	targets := c.Int("n_targets")
	if targets < 1 || targets > 1<<24 {
		return fmt.Errorf("n_targets is %d", targets)
	}
	if a := c.Int("aggregate_function"); a < 0 || a >= len(aggregates) {
		return fmt.Errorf("aggregate_function is %d, want 0 to %d", a, len(aggregates)-1)
	}
	if t := c.Int("post_transform"); t < 0 || t >= len(transforms) || t > 0 && x.Elem == tensor.Float64 {
		return fmt.Errorf("post_transform %d of %s is not supported", t, x.Elem)
	}
	c.OutTensor(0, x.Elem, x.Shape[0], ir.C(targets))
	return f.check(x.Shape[1], targets)
}

func lowerTreeEnsemble(l *op.Lowering) error {
	f, err := indexedTrees(l.Node)
	if err != nil {
		return err
	}
	targets := l.Int("n_targets")
	trees(l, l.Out[0], f, nil, aggregates[l.Int("aggregate_function")], targets)
	postTransform(l, l.Out[0], transforms[l.Int("post_transform")], targets)
	return nil
}

// indexedTrees reads trees with nodes and leaves that are identified by their positions in two lists.
func indexedTrees(n *ir.Node) (*forest, error) {
	feature, splits := n.Ints("nodes_featureids"), op.FloatElems(n.TensorAttr("nodes_splits"))
	yes, no := n.Ints("nodes_truenodeids"), n.Ints("nodes_falsenodeids")
	yesLeaf, noLeaf := n.Ints("nodes_trueleafs"), n.Ints("nodes_falseleafs")
	targets, weights := n.Ints("leaf_targetids"), op.FloatElems(n.TensorAttr("leaf_weights"))
	missing := n.Ints("nodes_missing_value_tracks_true")
	var modes []uint8
	if t := n.TensorAttr("nodes_modes"); t != nil {
		modes, _ = t.Data.([]uint8)
	}
	count := len(feature)
	for _, k := range []int{len(splits), len(yes), len(no), len(yesLeaf), len(noLeaf), len(modes)} {
		if k != count {
			return nil, fmt.Errorf("lists of %d and %d elements describe the nodes of its trees, want as many", count, k)
		}
	}
	if len(targets) != len(weights) || count == 0 {
		return nil, fmt.Errorf("has %d nodes, %d targets and %d weights of leaves", count, len(targets), len(weights))
	}
	nodes := make([]treeNode, count, count+len(weights))
	for i := range nodes {
		nodes[i] = treeNode{mode: int(modes[i]), feature: feature[i], split: splits[i], yes: yes[i], no: no[i]}
		nodes[i].missing = i < len(missing) && missing[i] != 0
		if yesLeaf[i] != 0 {
			nodes[i].yes += count
		}
		if noLeaf[i] != 0 {
			nodes[i].no += count
		}
	}
	giveMembers(nodes, op.FloatElems(n.TensorAttr("membership_values")))
	for i, w := range weights {
		nodes = append(nodes, treeNode{leaf: true, gives: []leafScore{{targets[i], w}}})
	}
	return plant(nodes, n.Ints("tree_roots"))
}

// giveMembers distributes the members to the nodes that compare with several values; they are separated by
// NaN.
func giveMembers(nodes []treeNode, members []float64) {
	for i := range nodes {
		if nodes[i].mode != branchMember {
			continue
		}
		for len(members) > 0 {
			v := members[0]
			members = members[1:]
			if math.IsNaN(v) {
				break
			}
			nodes[i].members = append(nodes[i].members, v)
		}
	}
}
