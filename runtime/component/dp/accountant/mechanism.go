// Package accountant computes the privacy loss of a program before it runs: the ε of (ε, δ)-differential
// privacy for the presence of a peer in the data. It only does arithmetic.
//
// [RDP] sums Rényi divergences, and is fast. [PLD] convolves the distributions of the privacy loss; it takes
// longer and gives a smaller ε for the same noise. Both are upper bounds.
package accountant

import (
	"errors"
	"fmt"
	"math"
)

// A Mechanism adds noise to a sum over peers, a number of times. The noise is Gaussian, or discrete Gaussian,
// which has at most the same loss: C. Canonne, G. Kamath and T. Steinke, "The Discrete Gaussian for
// Differential Privacy", 2020, Theorem 14.
type Mechanism struct {
	Noise    float64 // standard deviation of the noise, relative to the maximum change of the sum by one peer
	Sampling float64 // probability that a peer takes part, independent of the others (Poisson sampling); 0: 1
	Rounds   int
}

// sampling returns the probability; 0 is the default, 1.
func (m Mechanism) sampling() float64 {
	if m.Sampling == 0 {
		return 1
	}
	return m.Sampling
}

// check returns an error if arguments are invalid.
func check(delta float64, all []Mechanism) error {
	if !(delta > 0 && delta < 1) {
		return fmt.Errorf("delta is %v, want a number between 0 and 1, such as 1e-5", delta)
	}
	if len(all) == 0 {
		return errors.New("no mechanism adds noise")
	}
	for _, m := range all {
		switch {
		case !(m.Noise >= 0) || math.IsInf(m.Noise, 0):
			return fmt.Errorf("the noise is %v, want 0 or more", m.Noise)
		case !(m.Sampling >= 0 && m.Sampling <= 1):
			return fmt.Errorf("the sampling rate is %v, want a probability", m.Sampling)
		case m.Rounds < 0:
			return fmt.Errorf("there are %d rounds, want 0 or more", m.Rounds)
		}
	}
	return nil
}

// Noise returns the smallest noise with which a mechanism has at most epsilon, with a relative precision of a
// thousandth, according to [RDP].
func Noise(epsilon, delta, sampling float64, rounds int) (float64, error) {
	if !(epsilon > 0) {
		return 0, fmt.Errorf("epsilon is %v, want more than 0", epsilon)
	}
	enough := func(noise float64) (bool, error) {
		e, err := RDP(delta, Mechanism{noise, sampling, rounds})
		return e <= epsilon, err
	}
	low, high := 0.0, 1.0
	for ; high < 1e9; low, high = high, 2*high {
		if ok, err := enough(high); err != nil || ok {
			return between(low, high, enough), err
		}
	}
	return 0, fmt.Errorf("no noise below %g spends at most %v at delta %v", high, epsilon, delta)
}

// between returns the smallest sufficient number between two, with a relative precision of a thousandth.
func between(low, high float64, enough func(float64) (bool, error)) float64 {
	for high-low > 1e-3*high {
		middle := (low + high) / 2
		if ok, _ := enough(middle); ok {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
