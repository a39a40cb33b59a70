package accountant

import (
	"errors"
	"math"
	"math/cmplx"
)

const (
	cells    = 1 << 16 // of a distribution of the privacy loss
	tail     = 1e-14   // probability that may be outside of them
	least    = 1e-10   // of δ: rounding errors of the transform stay far below
	rounding = 1e-15   // error of a transform, which grows with the rounds
)

// PLD returns the ε of a sequence of mechanisms, from the distribution of the privacy loss: Y. Zhu, J. Dong
// and Y.-X. Wang, "Optimal Accounting of Differential Privacy via Characteristic Function", 2022. Losses are
// rounded to a grid so that the result is an upper bound: V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar and P.
// Manurangsi, "Connect the Dots: Tighter Discrete Approximations of Privacy Loss Distributions", 2022. Where the grid
// is too coarse, as for very many rounds with small losses each, the result is that of [RDP].
func PLD(delta float64, all ...Mechanism) (float64, error) {
	if err := check(delta, all); err != nil {
		return 0, err
	}
	if delta < least {
		return 0, errors.New("delta is less than 1e-10, which rounding errors do not allow: use RDP")
	}
	reach, err := RDP(tail, all...)
	if err != nil || reach == 0 || math.IsInf(reach, 1) {
		return reach, err
	}
	step := 2 * (reach + 1) / cells
	added := composed(step, all, Mechanism.added).epsilon(delta)
	removed := composed(step, all, Mechanism.removed).epsilon(delta)
	bound, err := RDP(delta, all...)
	return min(max(added, removed), bound), err
}

// losses is a distribution of the privacy loss on a grid: element i is the probability of (i - cells/2)·step.
type losses struct {
	step     float64
	p        []float64
	infinite float64 // probability of an infinite loss
	rounds   float64 // with these losses
}

// composed returns the distribution of a sequence of mechanisms. Cut divides the distribution of each into
// cells.
func composed(step float64, all []Mechanism, cut func(Mechanism) cutter) *losses {
	product := make([]complex128, cells)
	for i := range product {
		product[i] = 1
	}
	var parts []*losses
	rounds, finite := 0.0, 0.0 // the logarithm of the probability that all losses are finite
	for _, m := range all {
		if m.Rounds == 0 {
			continue
		}
		one := discrete(step, cut(m))
		one.rounds = float64(m.Rounds)
		rounds += one.rounds
		finite += one.rounds * math.Log1p(-one.infinite)
		for i, v := range one.transformed() {
			product[i] *= cmplx.Pow(v, complex(one.rounds, 0))
		}
		parts = append(parts, one)
	}
	inverse(product)
	out := &losses{step: step, p: make([]float64, cells)}
	out.infinite = beyond(parts, out.loss(cells-1)) + rounding*rounds - math.Expm1(finite)
	for i, v := range product {
		out.p[(i+cells/2)%cells] = max(real(v), 0)
	}
	return out
}

// beyond returns a bound of the probability that the sum of losses is larger than the grid, where the transform
// takes it for a small one: the least E[exp(order·sum)] / exp(order·largest), of H. Chernoff.
func beyond(parts []*losses, largest float64) float64 {
	least := 0.0
	for order := 0x1p-8; order < 1<<12; order *= math.Sqrt2 {
		bound := -order * largest
		for _, l := range parts {
			bound += l.rounds * math.Log(l.moment(order))
		}
		if least < 0 && !(bound < least) {
			break // it is convex: larger orders are no better
		}
		least = min(least, bound)
	}
	return math.Exp(least)
}

// moment returns E[exp(order·loss)] of the finite losses.
func (l *losses) moment(order float64) (sum float64) {
	for i, p := range l.p {
		if p > 0 {
			sum += p * math.Exp(order*l.loss(i))
		}
	}
	return sum
}

// loss returns the loss of an element.
func (l *losses) loss(i int) float64 { return float64(i-cells/2) * l.step }

// transformed returns the Fourier transform of the finite losses, with loss 0 first.
func (l *losses) transformed() []complex128 {
	x := make([]complex128, cells)
	for i, p := range l.p {
		x[(i+cells/2)%cells] = complex(p, 0)
	}
	fft(x)
	return x
}

// epsilon returns the smallest ε with δ(ε) ≤ δ, where δ(ε) is the sum of p·(1 - exp(ε - loss)) over larger
// losses.
func (l *losses) epsilon(delta float64) float64 {
	above, scaled := l.infinite, 0.0 // of p, and of p·exp(ε - loss) for the ε of the element
	for i := cells - 1; i >= cells/2-1; i-- {
		if above-scaled > delta {
			return max(l.loss(i)+math.Log((above-delta)/scaled), 0)
		}
		above += l.p[i]
		scaled = (scaled + l.p[i]) * math.Exp(-l.step)
	}
	return 0
}
