package accountant

import (
	"errors"
	"math"
	"math/cmplx"
)

const (
	cells = 1 << 16 // of a distribution of the privacy loss
	tail  = 1e-14   // probability that may be outside of them
	least = 1e-10   // of δ: rounding errors of the transform stay far below
)

// PLD returns the ε of a sequence of mechanisms, from the distribution of the privacy loss: Y. Zhu, J. Dong
// and Y.-X. Wang, "Optimal Accounting of Differential Privacy via Characteristic Function", 2022. Losses are
// rounded to a grid so that the result is an upper bound: V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar and P.
// Manurangsi, "Connect the Dots: Tighter Discrete Approximations of Privacy Loss Distributions", 2022.
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
	return max(added, removed), nil
}

// losses is a distribution of the privacy loss on a grid: element i is the probability of (i - cells/2)·step.
type losses struct {
	step     float64
	p        []float64
	infinite float64 // probability of an infinite loss
}

// composed returns the distribution of a sequence of mechanisms. Cut divides the distribution of each into
// cells.
func composed(step float64, all []Mechanism, cut func(Mechanism) cutter) *losses {
	product := make([]complex128, cells)
	for i := range product {
		product[i] = 1
	}
	finite := 1.0
	for _, m := range all {
		if m.Rounds == 0 {
			continue
		}
		one := discrete(step, cut(m))
		finite *= math.Pow(1-one.infinite, float64(m.Rounds))
		for i, v := range one.transformed() {
			product[i] *= cmplx.Pow(v, complex(float64(m.Rounds), 0))
		}
	}
	inverse(product)
	out := &losses{step: step, p: make([]float64, cells), infinite: 1 - finite + tail}
	for i, v := range product {
		out.p[(i+cells/2)%cells] = max(real(v), 0)
	}
	return out
}

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
	above, scaled := l.infinite, 0.0 // of p, and of p·exp(-loss)
	for i := cells - 1; i >= 0; i-- {
		loss := float64(i-cells/2) * l.step
		if loss < 0 && above-scaled <= delta {
			return 0
		}
		if above-scaled*math.Exp(loss) > delta {
			return max(math.Log((above-delta)/scaled), 0)
		}
		above += l.p[i]
		scaled += l.p[i] * math.Exp(-loss)
	}
	return 0
}
