package ml

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// treeModes are the comparisons by their names in TreeEnsembleClassifier and
// TreeEnsembleRegressor.
var treeModes = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}

type treeKey struct{ tree, node int }

// listedTrees reads the trees of TreeEnsembleClassifier and TreeEnsembleRegressor. The scores of leaves are
// in attributes with the given prefix.
func listedTrees(n *ir.Node, prefix string) (*forest, error) {
	trees, ids := n.Ints("nodes_treeids"), n.Ints("nodes_nodeids")
	feature, modes := n.Ints("nodes_featureids"), n.Strs("nodes_modes")
	yes, no := n.Ints("nodes_truenodeids"), n.Ints("nodes_falsenodeids")
	values, missing := floatsOf(n, "nodes_values"), n.Ints("nodes_missing_value_tracks_true")
	count := len(ids)
	for _, k := range []int{len(trees), len(feature), len(modes), len(yes), len(no), len(values)} {
		if k != count || count == 0 {
			return nil, fmt.Errorf("lists of %d and %d elements describe the nodes of its trees, want as many", count, k)
		}
	}
	at := map[treeKey]int{}
	for i := range ids {
		at[treeKey{trees[i], ids[i]}] = i
	}
	nodes := make([]treeNode, count)
	below := make([]bool, count) // some node's child
	for i := range nodes {
		if modes[i] == "LEAF" {
			nodes[i].leaf = true
			continue
		}
		y, yok := at[treeKey{trees[i], yes[i]}]
		f, fok := at[treeKey{trees[i], no[i]}]
		if !yok || !fok {
			return nil, fmt.Errorf("node %d of tree %d has children %d and %d, which the tree has not", ids[i], trees[i], yes[i], no[i])
		}
		below[y], below[f] = true, true
		nodes[i] = treeNode{mode: slices.Index(treeModes, modes[i]), feature: feature[i], split: values[i], yes: y, no: f}
		nodes[i].missing = i < len(missing) && missing[i] != 0
	}
	if err := giveScores(n, prefix, nodes, at); err != nil {
		return nil, err
	}
	var roots []int
	for i := range nodes {
		if !below[i] {
			roots = append(roots, i)
		}
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("trees have no root")
	}
	return plant(nodes, roots)
}

// giveScores reads the scores of the leaves.
func giveScores(n *ir.Node, prefix string, nodes []treeNode, at map[treeKey]int) error {
	trees, ids := n.Ints(prefix+"_treeids"), n.Ints(prefix+"_nodeids")
	targets, weights := n.Ints(prefix+"_ids"), floatsOf(n, prefix+"_weights")
	for _, k := range []int{len(trees), len(ids), len(targets)} {
		if k != len(weights) || k == 0 {
			return fmt.Errorf("lists of %d and %d elements describe its leaves, want as many", k, len(weights))
		}
	}
	for i, w := range weights {
		k, ok := at[treeKey{trees[i], ids[i]}]
		if !ok {
			return fmt.Errorf("leaf %d of tree %d is none of its nodes", ids[i], trees[i])
		}
		nodes[k].gives = append(nodes[k].gives, leafScore{targets[i], w})
	}
	return nil
}
