package cpu

// LossReduction tells how the losses of samples are combined.
type LossReduction uint8

// The reductions of losses.
const (
	LossEach LossReduction = iota
	LossSum
	LossMean // weighted by the classes' weights
)

// Loss is the parameters of a loss: the scores are [batch, Classes, Inner].
type Loss struct {
	Classes, Inner int
	Reduce         LossReduction
	Ignores        bool // targets equal to Ignore do not count
	Ignore         int
}

// NLLLoss is the negative log likelihood: x holds the logarithms of probabilities, and each target selects
// one of them.
//
//	for i, t := range target {
//		dst[i] = -x[i][t] * weight[t] // 0 if t is ignored
//	}
//
// or their sum, or the sum divided by that of the used weights. A nil weight is ones.
func NLLLoss[T Float, I Index](dst, x []T, target []I, weight []T, o Loss) {
	var sum, weights float64
	for i, t := range target {
		c := toInt(t)
		if o.Ignores && c == o.Ignore {
			if o.Reduce == LossEach {
				dst[i] = 0
			}
			continue
		}
		if c < 0 || c >= o.Classes {
			fail("NLLLoss", "target %d is %d, want 0 to %d", i, c, o.Classes-1)
		}
		w := T(1)
		if weight != nil {
			w = weight[c]
		}
		loss := -w * x[(i/o.Inner*o.Classes+c)*o.Inner+i%o.Inner]
		if o.Reduce == LossEach {
			dst[i] = loss
		}
		sum += float64(loss)
		weights += float64(w)
	}
	switch o.Reduce {
	case LossSum:
		dst[0] = T(sum)
	case LossMean:
		dst[0] = T(sum / weights)
	}
}
