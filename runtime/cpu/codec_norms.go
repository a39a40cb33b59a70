package cpu

import "math"

// normStep is the number of elements of which the kernels in this file and of signs take multiples.
const normStep = 32

// SumSquares64 is
//
//	for _, v := range x {
//		sum += float64(v) * float64(v)
//	}
//
// in an order of its own at each level. The sum is finite if and only if all elements are.
func SumSquares64(x []float32) float64 { return sumSquares(x) }

func sumSquaresGo(x []float32) float64 {
	var s [4]float64 // independent sums
	for ; len(x) >= len(s); x = x[len(s):] {
		four := x[:len(s)]
		s[0] += float64(float64(four[0]) * float64(four[0]))
		s[1] += float64(float64(four[1]) * float64(four[1]))
		s[2] += float64(float64(four[2]) * float64(four[2]))
		s[3] += float64(float64(four[3]) * float64(four[3]))
	}
	for _, v := range x {
		s[0] += float64(float64(v) * float64(v))
	}
	return s[0] + s[1] + s[2] + s[3]
}

// SumAbs64 is
//
//	for _, v := range x {
//		sum += math.Abs(float64(v))
//	}
//
// in an order of its own at each level.
func SumAbs64(x []float32) float64 { return sumAbs(x) }

func sumAbsGo(x []float32) float64 {
	var s [4]float64
	for ; len(x) >= len(s); x = x[len(s):] {
		four := x[:len(s)]
		s[0] += math.Abs(float64(four[0]))
		s[1] += math.Abs(float64(four[1]))
		s[2] += math.Abs(float64(four[2]))
		s[3] += math.Abs(float64(four[3]))
	}
	for _, v := range x {
		s[0] += math.Abs(float64(v))
	}
	return s[0] + s[1] + s[2] + s[3]
}

// MaxAbs32 is
//
//	for _, v := range x {
//		most = max(most, math.Abs(v))
//	}
//
// where infinity is larger than other numbers, and NaN larger than infinity. That of nothing is 0.
func MaxAbs32(x []float32) float32 { return math.Float32frombits(maxAbs(x)) }

// maxAbsGo compares bits, which have the order of the values, in four independent lanes.
func maxAbsGo(x []float32) uint32 {
	const withoutSign = math.MaxInt32
	var most [4]uint32
	for ; len(x) >= len(most); x = x[len(most):] {
		four := x[:len(most)]
		most[0] = max(most[0], math.Float32bits(four[0])&withoutSign)
		most[1] = max(most[1], math.Float32bits(four[1])&withoutSign)
		most[2] = max(most[2], math.Float32bits(four[2])&withoutSign)
		most[3] = max(most[3], math.Float32bits(four[3])&withoutSign)
	}
	for _, v := range x {
		most[0] = max(most[0], math.Float32bits(v)&withoutSign)
	}
	return max(most[0], most[1], most[2], most[3])
}
