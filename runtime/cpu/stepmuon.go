package cpu

import "math"

// muonRounds is the number of iterations with which [StepMuon] approximates an orthogonal matrix, x = a·x +
// (b·x·xᵀ + c·(x·xᵀ)²)·x.
const muonRounds = 5

// muonA, muonB and muonC are a, b and c.
const muonA, muonB, muonC = 3.4445, -4.775, 2.0315

// StepMuon is a step of Muon for the matrix w, which is [rows, cols].
//
//	v += (1-momentum) * (scale*g - v)
//	u := orthogonal(v) // Nesterov: of scale*g + momentum*(v - scale*g)
//	w = w*(1-rate*decay) - rate*√max(1, rows/cols)*u
//
// The scratch needs two matrices like w, and two squares of the smaller side.
func StepMuon[T, R Float](w, v, tmp, g []T, at StepAt[R], rows, cols int, p StepParams) {
	lr, s, ok := begin[T](&at, &p)
	if !ok {
		return
	}
	n := len(w)
	x, y := tmp[:n], tmp[n:2*n]
	clear(x)
	k := &stepNumbers[T]{scale: s, rate: -1, keep1: T(p.Momentum), take1: T(1 - p.Momentum)}
	if p.Nesterov {
		k.rate = T(-p.Momentum)
	}
	if !step32(stepMomentum, x, v, nil, nil, g, k) { // x = v, or momentum*v
		momentumGo(x, v, nil, nil, g, k)
	}
	if p.Nesterov {
		subtract(x, g, s, 0, p.Momentum-1)
	}
	over := T(1 / max(length(x), p.Epsilon))
	for i := range x {
		x[i] *= over
	}
	x = orthogonal(x, y, tmp[2*n:], rows, cols)
	long := math.Sqrt(max(1, float64(rows)/float64(cols)))
	subtract(w, x, 1, T(p.Decay/long), lr*long)
}

// orthogonal makes the singular values of x approximately 1. The result is x or y. It computes the smaller
// one of x·xᵀ and xᵀ·x.
func orthogonal[T Float](x, y, tmp []T, rows, cols int) []T {
	k := min(rows, cols)
	a, b := tmp[:k*k], tmp[k*k:2*k*k]
	for range muonRounds {
		if rows <= cols {
			Gemm(a, x, x, nil, GemmShape{M: k, K: cols, N: k, TransB: true, Alpha: 1}, nil)
		} else {
			Gemm(a, x, x, nil, GemmShape{M: k, K: rows, N: k, TransA: true, Alpha: 1}, nil)
		}
		Gemm(b, a, a, nil, GemmShape{M: k, K: k, N: k, Alpha: muonC}, nil)
		subtract(b, a, 1, 0, -muonB)
		if rows <= cols {
			Gemm(y, b, x, nil, GemmShape{M: k, K: k, N: cols, Alpha: 1}, nil)
		} else {
			Gemm(y, x, b, nil, GemmShape{M: rows, K: k, N: k, Alpha: 1}, nil)
		}
		subtract(y, x, 1, 0, -muonA)
		x, y = y, x
	}
	return x
}
