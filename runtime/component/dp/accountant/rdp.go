package accountant

import "math"

// orders are the orders of Rényi divergence that are tried, as in dp-accounting.
var orders = func() (list []float64) {
	for i := 1; i < 100; i++ {
		list = append(list, 1+float64(i)/10)
	}
	for i := 11; i < 64; i++ {
		list = append(list, float64(i))
	}
	return append(list, 128, 256, 512, 1024)
}()

// RDP returns the ε of a sequence of mechanisms, by Rényi differential privacy: I. Mironov, "Rényi
// Differential Privacy", 2017. It is infinite without noise.
func RDP(delta float64, all ...Mechanism) (float64, error) {
	if err := check(delta, all); err != nil {
		return 0, err
	}
	least := math.Inf(1)
	for _, order := range orders {
		least = min(least, epsilonOf(order, divergence(order, all), delta))
	}
	return max(least, 0), nil
}

// divergence returns the Rényi divergence of an order for all mechanisms together.
func divergence(order float64, all []Mechanism) (sum float64) {
	for _, m := range all {
		if m.Rounds > 0 {
			sum += float64(m.Rounds) * m.rdp(order)
		}
	}
	return sum
}

// rdp returns the Rényi divergence of one round.
func (m Mechanism) rdp(order float64) float64 {
	switch q := m.sampling(); {
	case m.Noise == 0:
		return math.Inf(1)
	case q == 1:
		return order / (2 * m.Noise * m.Noise)
	default:
		return sampledMoment(q, m.Noise, order) / (order - 1)
	}
}

// epsilonOf returns the ε for a Rényi divergence: C. Canonne, G. Kamath and T. Steinke, "The Discrete
// Gaussian for Differential Privacy", 2020, Proposition 12. If δ² > 1 - exp(-divergence), it is 0, as the
// total variation is less than δ.
func epsilonOf(order, divergence, delta float64) float64 {
	switch {
	case delta*delta+math.Expm1(-divergence) > 0:
		return 0
	case order < 1.01: // numerically unstable
		return math.Inf(1)
	}
	return divergence + math.Log1p(-1/order) - math.Log(delta*order)/(order-1)
}
