package accountant

import "math"

// sampledMoment returns ln A of the sampled Gaussian mechanism at an order, for 0 < q < 1: I. Mironov, K.
// Talwar and L. Zhang, "Rényi Differential Privacy of the Sampled Gaussian Mechanism", 2019, Section 3.3.
func sampledMoment(q, noise, order float64) float64 {
	if order == math.Trunc(order) {
		return integerMoment(q, noise, order)
	}
	// As ln A is convex, it is below the line between two orders; ln A(1) is 0. The line is precise where the series
	// has only rounding errors, which very many rounds would multiply.
	low := math.Trunc(order)
	line := (low+1-order)*integerMoment(q, noise, low) + (order-low)*integerMoment(q, noise, low+1)
	return min(fractionalMoment(q, noise, order)+1e-12, line)
}

// integerMoment returns the logarithm of the sum over i of
//
//	binomial(order, i) · qⁱ · (1-q)^(order-i) · exp((i²-i)/(2·noise²))
//
// Without the last factor the sum is 1. So it adds to 1 what that factor adds, which is precise however small it is.
func integerMoment(q, noise, order float64) float64 {
	sum := math.Inf(-1)
	for i := 2.0; i <= order; i++ {
		sum = logAdd(sum, logBinomial(order, i)+i*math.Log(q)+(order-i)*math.Log1p(-q)+logExpm1((i*i-i)/2/noise/noise))
	}
	return logAdd(0, sum)
}

// logExpm1 returns ln(exp(x) - 1).
func logExpm1(x float64) float64 {
	if x > 50 {
		return x // exp may overflow
	}
	return math.Log(math.Expm1(x))
}

// term returns the logarithm of one element of that sum, with the last factor.
func term(q, noise, order, i float64) float64 {
	return logBinomial(order, i) + i*math.Log(q) + (order-i)*math.Log1p(-q) + (i*i-i)/(2*noise*noise)
}

// fractionalMoment is the same for other orders: two series, for the integrals below and above the point
// where both densities are equal. Some binomials are negative: their absolute values are added, so that the
// sum is a bound.
func fractionalMoment(q, noise, order float64) float64 {
	const most = 1000
	equal := noise*noise*math.Log(1/q-1) + 0.5
	sum, lastBelow, lastAbove := math.Inf(-1), math.Inf(-1), math.Inf(-1)
	for i := 0.0; i < most; i++ {
		j := order - i
		below := term(q, noise, order, i) + logHalfErfc((i-equal)/(math.Sqrt2*noise))
		above := logBinomial(order, i) + j*math.Log(q) + i*math.Log1p(-q) + (j*j-j)/(2*noise*noise) + logHalfErfc((equal-j)/(math.Sqrt2*noise))
		sum = logAdd(sum, logAdd(below, above))
		if below < lastBelow && above < lastAbove && max(below, above) < sum-30 {
			return sum
		}
		lastBelow, lastAbove = below, above
	}
	return math.Inf(1) // does not converge: the order cannot be used
}

// logAdd returns ln(exp(x) + exp(y)).
func logAdd(x, y float64) float64 {
	low, high := min(x, y), max(x, y)
	if math.IsInf(low, -1) || math.IsInf(high, 1) {
		return high
	}
	return high + math.Log1p(math.Exp(low-high))
}

// logBinomial returns the logarithm of the absolute value of a binomial coefficient.
func logBinomial(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}

// logHalfErfc returns ln(erfc(x)/2). If erfc is too small for a float64, it uses the series at infinity.
func logHalfErfc(x float64) float64 {
	if x < 20 {
		return math.Log(math.Erfc(x) / 2)
	}
	s := 1 / (x * x)
	return -x*x - math.Log(2*x*math.SqrtPi) + math.Log1p(s*(-0.5+s*(0.75-s*1.875)))
}
