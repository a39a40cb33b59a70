package cpu

import "math"

// LeakyRelu is dst[i] = x[i], or alpha·x[i] below 0.
func LeakyRelu[T Float](dst, x []T, alpha float64) {
	a := T(alpha)
	for i, v := range x[:len(dst)] {
		if v < 0 {
			v *= a
		}
		dst[i] = v
	}
}

// PRelu is dst[i] = x[i], or slope[i]·x[i] below 0, where an operand of one
// element stands for all.
func PRelu[T Number](dst, x, slope []T) {
	switch {
	case len(slope) == 1:
		s := slope[0]
		for i, v := range x[:len(dst)] {
			if v < 0 {
				v *= s
			}
			dst[i] = v
		}
	case len(x) == 1:
		for i, s := range slope[:len(dst)] {
			v := x[0]
			if v < 0 {
				v *= s
			}
			dst[i] = v
		}
	default:
		slope = slope[:len(dst)]
		for i, v := range x[:len(dst)] {
			if v < 0 {
				v *= slope[i]
			}
			dst[i] = v
		}
	}
}

// Elu is dst[i] = x[i], or alpha·(exp(x[i])-1) below 0.
func Elu[T Float](dst, x []T, alpha float64) {
	for i, v := range x[:len(dst)] {
		if v < 0 {
			v = T(alpha * math.Expm1(float64(v)))
		}
		dst[i] = v
	}
}

// Selu is dst[i] = gamma·x[i], or gamma·alpha·(exp(x[i])-1) below 0.
func Selu[T Float](dst, x []T, alpha, gamma float64) {
	for i, v := range x[:len(dst)] {
		w := float64(v)
		if w < 0 {
			w = alpha * math.Expm1(w)
		}
		dst[i] = T(gamma * w)
	}
}

// Celu is dst[i] = max(0, x[i]) + min(0, alpha·(exp(x[i]/alpha)-1)).
func Celu[T Float](dst, x []T, alpha float64) {
	for i, v := range x[:len(dst)] {
		w := float64(v)
		dst[i] = T(max(0, w) + min(0, float64(alpha*math.Expm1(w/alpha))))
	}
}

// ThresholdedRelu is dst[i] = x[i] where it is above alpha, and 0 elsewhere, also for NaN.
func ThresholdedRelu[T Float](dst, x []T, alpha float64) {
	a := T(alpha)
	for i, v := range x[:len(dst)] {
		dst[i] = 0
		if v > a {
			dst[i] = v
		}
	}
}

// Shrink moves x[i] towards 0 by bias if its distance from 0 is above lambda, and gives 0 elsewhere. Integers
// are rounded towards 0; those that are too large become the integers of [Cast].
func Shrink[T Number](dst, x []T, bias, lambda float64) {
	for i, v := range x[:len(dst)] {
		switch w := float64(v); {
		case w < -lambda:
			dst[i] = fromFloat[T](w + bias)
		case w > lambda:
			dst[i] = fromFloat[T](w - bias)
		default:
			dst[i] = 0
		}
	}
}
