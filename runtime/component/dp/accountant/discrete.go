package accountant

import "math"

// cutter returns, for the distributions of a mechanism's output with and without the peer, the probability of
// privacy losses between low and high.
type cutter func(low, high float64) (with, without float64)

// smallestNormal is the smallest number with the precision of all larger ones.
const smallestNormal = 0x1p-1022

// discrete distributes the losses of one round to a grid. The probability between two points is divided between
// these points, so that both distributions keep their totals: that connects the dots of δ(ε).
func discrete(step float64, part cutter) *losses {
	l := &losses{step: step, p: make([]float64, cells)}
	for i := range cells - 1 {
		with, without := part(l.loss(i), l.loss(i+1))
		up := with // where the other one is too small to be divided, too
		if without >= smallestNormal {
			up = min(max((with-math.Exp(l.loss(i))*without)/-math.Expm1(-step), 0), with)
		}
		l.p[i] += with - up
		l.p[i+1] += up
	}
	below, _ := part(math.Inf(-1), l.loss(0))
	l.p[0] += below // a larger loss than the actual one
	l.infinite, _ = part(l.loss(cells-1), math.Inf(1))
	return l
}

// The outcome x of a round is normal with mean 0 and the noise as deviation if the peer is
// not in the data, and otherwise with mean 1 with probability q. The privacy loss of x for
// a peer that is removed is ln(1-q+q·exp((2x-1)/(2·noise²))); for one that is added, minus
// that.

// removed is the cutter for a peer that is removed from the data.
func (m Mechanism) removed() cutter {
	return func(low, high float64) (with, without float64) {
		a, b := m.outcome(low), m.outcome(high)
		return m.mixed(a, b), m.normal(0, a, b)
	}
}

// added is the cutter for a peer that is added to the data.
func (m Mechanism) added() cutter {
	return func(low, high float64) (with, without float64) {
		a, b := m.outcome(-high), m.outcome(-low)
		return m.normal(0, a, b), m.mixed(a, b)
	}
}

// outcome returns the x with a privacy loss; it is infinite if all losses are larger, or smaller.
func (m Mechanism) outcome(loss float64) float64 {
	q := m.sampling()
	if q == 1 {
		return loss*m.Noise*m.Noise + 0.5
	}
	// exp(loss) = 1-q+q·e, where e is positive
	x := math.Expm1(loss)/q + 1
	switch {
	case x <= 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return (loss-math.Log(q))*m.Noise*m.Noise + 0.5
	}
	return math.Log(x)*m.Noise*m.Noise + 0.5
}

// mixed returns the probability of outcomes between a and b if the peer is in the data.
func (m Mechanism) mixed(a, b float64) float64 {
	q := m.sampling()
	return (1-q)*m.normal(0, a, b) + q*m.normal(1, a, b)
}

// normal returns the probability that a normal variable is between a and b. It uses the tail on their side, for
// precision.
func (m Mechanism) normal(mean, a, b float64) float64 {
	a, b = (a-mean)/(m.Noise*math.Sqrt2), (b-mean)/(m.Noise*math.Sqrt2)
	if a+b < 0 {
		a, b = -b, -a
	}
	return (math.Erfc(a) - math.Erfc(b)) / 2
}
