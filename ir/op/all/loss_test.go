package all_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// lossCase is a loss of scores [batch, classes, inner…] with targets [batch, inner…].
type lossCase struct {
	batch, classes, inner int
	scores, weights       []float64 // weights may be nil
	targets               []int64
	ignore                int64
	ignores               bool
}

// losses returns the loss of each target from the logarithms of probabilities, and the sum of the weights that count.
func (c *lossCase) losses(logs []float64) (each []float64, weight float64) {
	for i, target := range c.targets {
		if c.ignores && target == c.ignore {
			each = append(each, 0)
			continue
		}
		w := 1.0
		if c.weights != nil {
			w = c.weights[target]
		}
		weight += w
		each = append(each, -w*logs[(i/c.inner*c.classes+int(target))*c.inner+i%c.inner])
	}
	return each, weight
}

// logSoftmax is the logarithms of the classes' probabilities.
func (c *lossCase) logSoftmax() []float64 {
	y := make([]float64, len(c.scores))
	for i := range c.batch * c.inner {
		sum := 0.0
		at := func(k int) int { return (i/c.inner*c.classes+k)*c.inner + i%c.inner }
		for k := range c.classes {
			sum += math.Exp(c.scores[at(k)])
		}
		for k := range c.classes {
			y[at(k)] = c.scores[at(k)] - math.Log(sum)
		}
	}
	return y
}

// TestLossModel compares both losses with their definition: with weights, with targets that are ignored, also all of them and
// one that is no class, with each reduction. The mean of nothing is NaN.
func TestLossModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for k := range 500 {
		dims := [][]int{{}, {1}, {3}, {2, 2}, {0}}[rng.IntN(5)]
		c := &lossCase{batch: 1 + rng.IntN(4), classes: 1 + rng.IntN(4), inner: 1, ignores: rng.IntN(2) == 0}
		for _, d := range dims {
			c.inner *= d
		}
		x := drawn(rng, append([]int{c.batch, c.classes}, dims...)...)
		c.scores = x.Data.([]float64)
		c.ignore = []int64{0, int64(c.classes - 1), -100, -1, 1 << 40}[rng.IntN(5)]
		all := rng.IntN(4) == 0
		for range c.batch * c.inner {
			target := rng.Int64N(int64(c.classes))
			if c.ignores && (all || rng.IntN(3) == 0) {
				target = c.ignore
			}
			c.targets = append(c.targets, target)
		}
		in := []*tensor.Tensor{x, tensor.Of(c.targets, append([]int{c.batch}, dims...)...)}
		if rng.IntN(2) == 0 {
			w := drawn(rng, c.classes)
			c.weights = w.Data.([]float64)
			for i := range c.weights {
				c.weights[i] = math.Abs(c.weights[i]) + 0.1
			}
			in = append(in, w)
		}
		reduction := []string{"none", "sum", "mean"}[rng.IntN(3)]
		attrs := fmt.Sprintf("{reduction = %q", reduction)
		if c.ignores {
			attrs += fmt.Sprintf(", ignore_index = %d", c.ignore)
		}
		name, outputs, logs := "NegativeLogLikelihoodLoss", 1, c.scores
		if k%2 == 0 {
			name, outputs, logs = "SoftmaxCrossEntropyLoss", 2, c.logSoftmax()
		}
		want, weight := c.losses(logs)
		if reduction != "none" {
			sum := 0.0
			for _, v := range want {
				sum += v
			}
			if reduction == "mean" {
				sum /= weight
			}
			want = []float64{sum}
		}
		what := fmt.Sprint(name, attrs, "} of ", x.Shape, " targets ", c.targets, " weights ", c.weights)
		out := computed(t, outputs, name+" "+attrs+"}", in...)
		closeTo(t, what, out[0].Data.([]float64), want, 1e-9)
		if outputs == 2 {
			closeTo(t, what+": logarithms", out[1].Data.([]float64), logs, 1e-9)
		}
	}
}
