package cpu

// NLLLossGrad is the gradient of [NLLLoss] by the logarithms of probabilities:
//
//	for i, t := range target {
//		dst[i][t] = -dy * weight[t] // 0 if t is ignored
//	}
//
// where dy is that of the sample or of the sum; for the mean it is divided by the sum of the used weights.
// The other elements of dst are 0.
func NLLLossGrad[T Float, I Index](dst, dy []T, target []I, weight []T, o Loss) {
	clear(dst)
	weights := float64(0)
	for i, t := range target {
		c := toInt(t)
		if o.Ignores && c == o.Ignore {
			continue
		}
		if c < 0 || c >= o.Classes {
			fail("NLLLossGrad", "target %d is %d, want 0 to %d", i, c, o.Classes-1)
		}
		w := T(1)
		if weight != nil {
			w = weight[c]
		}
		weights += float64(w)
		g := dy[0]
		if o.Reduce == LossEach {
			g = dy[i]
		}
		dst[(i/o.Inner*o.Classes+c)*o.Inner+i%o.Inner] = -w * g
	}
	if o.Reduce != LossMean {
		return
	}
	for i, t := range target {
		if c := toInt(t); !o.Ignores || c != o.Ignore {
			dst[(i/o.Inner*o.Classes+c)*o.Inner+i%o.Inner] /= T(weights)
		}
	}
}
