package dp

import "math/rand/v2"

// gaussian draws from the discrete Gaussian distribution, in which an integer x has a probability proportional
// to exp(-x²/(2·square)). It is exact, with integer arithmetic: C. Canonne, G. Kamath and T. Steinke, "The
// Discrete Gaussian for Differential Privacy", 2020, Algorithms 1 to 3.
type gaussian struct {
	square uint64 // up to mostSquare
	scale  uint64 // of the Laplace distribution from which it is drawn: √square, rounded down, plus 1
}

// mostSquare keeps all products below in 64 bits.
const mostSquare = 1 << 26

func (g gaussian) draw(r *rand.Rand) int64 {
	for {
		x := laplace(r, g.scale)
		size := uint64(max(x, -x))
		// accept with exp(-(size - square/scale)² / (2·square))
		away := max(size*g.scale, g.square) - min(size*g.scale, g.square)
		if away < 1<<32 && expMinus(r, away*away, 2*g.square*g.scale*g.scale) { // beyond, the exponent is less than -1000
			return x
		}
	}
}

// laplace draws from the discrete Laplace distribution, in which x has a probability proportional to
// exp(-|x|/scale).
func laplace(r *rand.Rand, scale uint64) int64 {
	for {
		rest := r.Uint64N(scale)
		if !expMinus(r, rest, scale) {
			continue
		}
		size := int64(rest)
		for expMinus(r, 1, 1) {
			size += int64(scale)
		}
		switch negative := r.Uint64()&1 == 1; {
		case !negative:
			return size
		case size > 0:
			return -size
		}
	}
}

// expMinus is true with probability exp(-a/b).
func expMinus(r *rand.Rand, a, b uint64) bool {
	for ; a > b; a -= b {
		if !expMinus(r, 1, 1) {
			return false
		}
	}
	k := uint64(1)
	for r.Uint64N(b*k) < a { // so often with probability (a/b)ᵏ/k!: never until the product is too large
		k++
	}
	return k%2 == 1
}
