package train

import (
	"cmp"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// quality is what an evaluation finds out of all examples together: how well the model ranks
// two classes, or how much of the targets' variance it explains.
type quality struct {
	ranked  []scored
	columns []column
	spoiled bool // what is ranked is not of two classes, or too much
}

// scored is what the model gives an example, and whether that is of the second class.
type scored struct {
	score float32
	yes   bool
}

// column is one number of each target: how many there were, their mean, the squares of
// their distances from it, and of the model's from them.
type column struct{ n, mean, spread, residual float64 }

// maxRanked is how many examples are ranked at most.
const maxRanked = 1 << 24

// addClasses takes the scores of two classes for each of the first count labels.
func (q *quality) addClasses(out, labels *tensor.Tensor, count int) {
	scores, ok := out.Data.([]float32)
	if !ok || len(scores) != 2*labels.Len() || classAxis(out.Shape, labels.Shape) != len(out.Shape)-1 {
		q.spoiled = true
		return
	}
	for i := range count {
		switch label(labels, i) {
		case 0, 1:
			q.rank(scores[2*i+1]-scores[2*i], label(labels, i) == 1)
		}
	}
}

// addNumbers takes the outputs for the first rows targets, of so many as there are.
func (q *quality) addNumbers(out, target *tensor.Tensor, rows, of int) {
	said, ok := out.Data.([]float32)
	right, ok2 := target.Data.([]float32)
	if !ok || !ok2 || len(said) != len(right) || len(said) < of {
		return
	}
	width := len(said) / of
	if q.columns == nil {
		q.columns = make([]column, width)
	}
	for i := range rows * width {
		q.columns[i%width].add(float64(said[i]), float64(right[i]))
		if width > 1 || right[i] != 0 && right[i] != 1 {
			q.spoiled = true
		} else {
			q.rank(said[i], right[i] == 1)
		}
	}
}

func (q *quality) rank(score float32, yes bool) {
	q.spoiled = q.spoiled || len(q.ranked) == maxRanked || score != score
	if q.spoiled {
		q.ranked = nil
	} else {
		q.ranked = append(q.ranked, scored{score, yes})
	}
}

// add takes one number. The mean moves with each, so that large ones lose no digits.
func (c *column) add(said, right float64) {
	c.n++
	d := right - c.mean
	c.mean += d / c.n
	c.spread += d * (right - c.mean)
	c.residual += (right - said) * (right - said)
}

// auc is the probability that the model gives an example of the second class more than one
// of the first, where equal counts half: the area under the curve of true over false
// positives. It is nil where there are not examples of both.
func (q *quality) auc() *float64 {
	if q.spoiled {
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

// r2 is the part of the variance that the model explains, as the mean over the numbers of
// a target. One that never varies is explained if it is met, and else not at all. It is
// nil for classes, and for fewer than two examples.
func (q *quality) r2() *float64 {
	if len(q.columns) == 0 || q.columns[0].n < 2 || !q.spoiled && len(q.ranked) > 0 {
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
