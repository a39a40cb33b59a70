package train

import (
	"cmp"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// quality collects the results that an evaluation computes from all examples together: how well the model ranks
// two classes, or how much of the targets' variance it explains.
type quality struct {
	ranked   []scored
	columns  []column
	unranked bool // the examples are not of two classes, or too many
}

// scored is the model's score for an example, and whether the example is of the second class.
type scored struct {
	score float32
	yes   bool
}

// column is the statistics of one number of the targets: the count, the mean, and the squared distances of the
// targets from the mean and of the predictions from the targets.
type column struct{ n, mean, spread, residual float64 }

// maxRanked is the maximum number of ranked examples.
const maxRanked = 1 << 24

// addClasses adds the scores of two classes for the first count labels.
func (q *quality) addClasses(out, labels *tensor.Tensor, count int) {
	scores, ok := out.Data.([]float32)
	if !ok || len(scores) != 2*labels.Len() || classAxis(out.Shape, labels.Shape) != len(out.Shape)-1 {
		q.unranked = true
		return
	}
	for i := range count {
		switch label(labels, i) {
		case 0, 1:
			q.rank(scores[2*i+1]-scores[2*i], label(labels, i) == 1)
		}
	}
}

// addNumbers adds the outputs for the first rows targets. A single number is no output for each of them, but a loss.
func (q *quality) addNumbers(out, target *tensor.Tensor, rows, of int) {
	said, ok := out.Data.([]float32)
	right, ok2 := target.Data.([]float32)
	if !ok || !ok2 || len(out.Shape) == 0 || len(said) != len(right) || len(said) < of {
		return
	}
	width := len(said) / of
	if q.columns == nil {
		q.columns = make([]column, width)
	}
	for i := range rows * width {
		q.columns[i%width].add(float64(said[i]), float64(right[i]))
		if width > 1 || right[i] != 0 && right[i] != 1 {
			q.unranked = true
		} else {
			q.rank(said[i], right[i] == 1)
		}
	}
}

func (q *quality) rank(score float32, yes bool) {
	q.unranked = q.unranked || len(q.ranked) == maxRanked || score != score
	if q.unranked {
		q.ranked = nil
	} else {
		q.ranked = append(q.ranked, scored{score, yes})
	}
}

// add adds one number. The mean is updated each time, so that large numbers lose no digits.
func (c *column) add(said, right float64) {
	c.n++
	d := right - c.mean
	c.mean += d / c.n
	c.spread += d * (right - c.mean)
	c.residual += (right - said) * (right - said)
}

// auc returns the probability that the model gives an example of the second class a higher score than one of
// the first; equal scores count half. That is the area under the ROC curve. It is nil unless there are examples
// of both classes.
func (q *quality) auc() *float64 {
	if q.unranked {
		return nil
	}
	slices.SortFunc(q.ranked, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	var no, yes, below float64
	for i := 0; i < len(q.ranked); {
		var equal [2]float64
		for first := q.ranked[i].score; i < len(q.ranked) && q.ranked[i].score == first; i++ {
			if q.ranked[i].yes {
				equal[1]++
			} else {
				equal[0]++
			}
		}
		below += equal[1] * (no + equal[0]/2)
		no, yes = no+equal[0], yes+equal[1]
	}
	if no*yes == 0 {
		return nil
	}
	area := below / (no * yes)
	return &area
}

// r2 returns the part of the variance that the model explains, as the mean over the numbers of a target. A
// constant number counts as explained if it is predicted exactly. It is nil for classes, and for fewer than two
// examples.
func (q *quality) r2() *float64 {
	if len(q.columns) == 0 || q.columns[0].n < 2 || !q.unranked && len(q.ranked) > 0 {
		return nil
	}
	sum := 0.0
	for _, c := range q.columns {
		switch {
		case c.spread > 0:
			sum += 1 - c.residual/c.spread
		case c.residual == 0:
			sum++
		}
	}
	mean := sum / float64(len(q.columns))
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return nil
	}
	return &mean
}
