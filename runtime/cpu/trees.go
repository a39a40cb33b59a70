package cpu

import "math"

// Trees are decision trees. A child is the number of a node, or -1-c for leaf c; likewise a root. Leaf i adds
// the weights from First[i] to First[i+1] to the scores of the targets beside them.
type Trees struct {
	Roots           []int32
	Feature         []int32 // of a node: the column that it compares
	Mode            []uint8 // the comparison: one of the Branch constants
	Missing         []uint8 // the branch of NaN: 1 is yes
	Yes, No         []int32
	First, Target   []int32
	Weight, Base    []float64
	Aggregate       string // "SUM", "AVERAGE", "MIN" or "MAX"
	Columns, Scores int
	Features        int // the number of columns that the nodes use
}

// The comparisons of a node's feature with its split, as ONNX numbers them.
const (
	BranchLessOrEqual = iota
	BranchLess
	BranchGreaterOrEqual
	BranchGreater
	BranchEqual
	BranchNotEqual
)

// TreeScores evaluates all trees for each row of x and writes the scores: t.Scores numbers a row. acc needs
// one row.
func TreeScores[D Float, T Float | Index, S Float](dst []D, acc []float64, x []T, split []S, t Trees) {
	if t.Columns < t.Features {
		fail("TreeEnsemble", "input has %d features, want at least %d", t.Columns, t.Features)
	}
	for r := 0; r < len(dst)/max(t.Scores, 1); r++ {
		start := 0.0
		if t.Aggregate == "MIN" || t.Aggregate == "MAX" {
			start = math.NaN() // no leaf yet
		}
		for i := range acc {
			acc[i] = start
		}
		row := x[r*t.Columns : (r+1)*t.Columns]
		for _, at := range t.Roots {
			for at >= 0 {
				at = descend(&t, at, S(row[t.Feature[at]]), split[at])
			}
			t.add(acc, int(-1-at))
		}
		y := dst[r*t.Scores : (r+1)*t.Scores]
		for i, v := range acc {
			if v != v && start != 0 {
				v = 0
			}
			if t.Aggregate == "AVERAGE" {
				v /= float64(len(t.Roots))
			}
			if len(t.Base) > 0 {
				v += t.Base[i]
			}
			y[i] = D(v)
		}
	}
}

// descend returns the child of node at for the value v.
func descend[S Float](t *Trees, at int32, v, split S) int32 {
	yes := false
	switch t.Mode[at] {
	case BranchLessOrEqual:
		yes = v <= split
	case BranchLess:
		yes = v < split
	case BranchGreaterOrEqual:
		yes = v >= split
	case BranchGreater:
		yes = v > split
	case BranchEqual:
		yes = v == split
	case BranchNotEqual:
		yes = v != split
	}
	if yes || v != v && t.Missing[at] != 0 {
		return t.Yes[at]
	}
	return t.No[at]
}

// add adds the weights of a leaf.
func (t *Trees) add(acc []float64, leaf int) {
	for k := t.First[leaf]; k < t.First[leaf+1]; k++ {
		i, w := t.Target[k], t.Weight[k]
		switch {
		case t.Aggregate == "MIN" && !(acc[i] <= w), t.Aggregate == "MAX" && !(acc[i] >= w):
			acc[i] = w
		case t.Aggregate == "SUM" || t.Aggregate == "AVERAGE":
			acc[i] += w
		}
	}
}
