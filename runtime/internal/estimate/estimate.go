// Package estimate tracks a time that varies, such as that of a round trip: what it usually is, what it rarely exceeds, and
// how improbable a longer one is.
package estimate

import "math"

// Estimate tracks a quantity like the round-trip time of TCP (RFC 6298): a mean that moves by an eighth, and a
// mean deviation that moves by a quarter. The zero value has no samples.
type Estimate struct {
	mean, dev int64
	count     int
}

// Add adds a sample.
func (e *Estimate) Add(x int64) {
	if e.count == 0 {
		e.mean, e.dev = x, x/2
	} else {
		e.dev += (max(x-e.mean, e.mean-x) - e.dev) / 4
		e.mean += (x - e.mean) / 8
	}
	e.count++
}

// warm is the number of samples after which an estimate is used.
const warm = 3

// Mean returns the mean, or 0 if there are no samples.
func (e *Estimate) Mean() int64 { return e.mean }

// Bound returns a value that the quantity rarely exceeds, or prior if there are too few samples.
func (e *Estimate) Bound(prior int64) int64 {
	if e.count < warm {
		return prior
	}
	return e.mean + 4*e.dev
}

// Deadline returns a generous time limit: twice the value that the quantity rarely exceeds, at least 100 ms and
// at most longest. As long as there are too few samples it is at least first.
func (e *Estimate) Deadline(first, longest int64) int64 {
	d := max(2*(e.mean+4*e.dev), 100e6)
	if e.count < warm {
		d = max(d, first)
	}
	return min(d, longest)
}

// The values of [Estimate.Phi] from which on a peer is suspected, and counts as down: 8 is an error rate of 10⁻⁸.
const (
	Suspect = 8
	Down    = 16
)

// minDeviation keeps a peer that answers very regularly from being suspected for a short delay, ns.
const minDeviation = 50e6

// firstDeviation is used instead until there are enough samples, ns: a peer may need long for its first answers, as long
// as it starts, but one that never answers is down at last.
const firstDeviation = 1e9

// Phi returns how improbable it is that a live peer has been silent for so long, if the quantity is the time between its
// signs of life: 1 in 10^phi (phi-accrual, Hayashibara et al. 2004). A peer that
// has sent much may be busy now, and may answer only pings, so the interval is at least that of pings. The normal
// distribution is approximated by a logistic one, as usual.
func (e *Estimate) Phi(silent, heartbeat int64) float64 {
	deviation := max(float64(e.dev)*1.25, minDeviation, float64(heartbeat)/4)
	if e.count < warm {
		if heartbeat == 0 {
			return 0
		}
		deviation = max(deviation, firstDeviation, 2*float64(heartbeat))
	}
	y := float64(silent-max(e.mean, heartbeat)) / deviation
	z := y * (1.5976 + 0.070566*y*y)
	if z > 700 {
		return z / math.Ln10 // 1/(1+exp(z)) is almost exp(-z)
	}
	return math.Log10(1 + math.Exp(z))
}
