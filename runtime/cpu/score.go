package cpu

import "math"

// PostTransform transforms each row of scores: "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", which keeps zeros near
// zero, "PROBIT", or "NONE".
func PostTransform(y []float32, kind string, width int) {
	for r := 0; r+width <= len(y) && width > 0; r += width {
		transformRow(y[r:r+width], kind)
	}
}

func transformRow(row []float32, kind string) {
	switch kind {
	case "LOGISTIC":
		for i, v := range row {
			row[i] = float32(1 / (1 + math.Exp(-float64(v))))
		}
	case "PROBIT":
		for i, v := range row {
			row[i] = float32(math.Sqrt2 * erfinv(float64(2*float64(v))-1))
		}
	case "SOFTMAX", "SOFTMAX_ZERO":
		softmaxScores(row, kind == "SOFTMAX_ZERO")
	}
}

// erfinv is Winitzki's approximation of the inverse of the error function, with three correct digits: the
// programs that train models with PROBIT use the same.
func erfinv(x float64) float64 {
	const a = 0.147
	y := float64((1 - x) * (1 + x))
	if y == 0 {
		return 0
	}
	log := math.Log(y)
	v := 2/(math.Pi*a) + float64(log/2)
	return math.Copysign(math.Sqrt(math.Sqrt(float64(v*v)-log/a)-v), x)
}

// softmaxScores is softmax. With keepZero, the exponential of a score v of about zero counts as v times
// that of zero.
func softmaxScores(row []float32, keepZero bool) {
	top := math.Inf(-1)
	for _, v := range row {
		top = max(top, float64(v))
	}
	sum := 0.0
	for i, v := range row {
		e := math.Exp(float64(v) - top)
		if keepZero && math.Abs(float64(v)) <= 1e-7 {
			e = float64(v) * math.Exp(-top)
		}
		row[i] = float32(e)
		sum += e
	}
	for i, v := range row {
		if sum == 0 {
			row[i] = 0.5
		} else {
			row[i] = float32(float64(v) / sum)
		}
	}
}

// TwoScores computes the scores of two classes from that of the second, as rows of dst: 1-s and s if
// probability, and -s and s if not.
func TwoScores(dst, s []float32, probability bool) {
	for i, v := range s {
		dst[2*i], dst[2*i+1] = -v, v
		if probability {
			dst[2*i] = 1 - v
		}
	}
}

// TopLabel writes the label of the largest score of each row, the first of
// equal ones.
func TopLabel[L any](dst []L, scores []float32, labels []L, width int) {
	for i := range dst {
		row, top := scores[i*width:(i+1)*width], 0
		for k, v := range row {
			if v > row[top] {
				top = k
			}
		}
		dst[i] = labels[top]
	}
}

// ThresholdLabel writes labels[1] for scores above a threshold and labels[0]
// for others.
func ThresholdLabel[L any](dst []L, scores []float32, labels []L, threshold float64) {
	for i, v := range scores[:len(dst)] {
		dst[i] = labels[0]
		if float64(v) > threshold {
			dst[i] = labels[1]
		}
	}
}

// LinearScores is
//
//	for each row r of x, t := range targets {
//		dst[r*targets+t] = x[r] · coef[t] + intercept[t]
//	}
//
// where intercept may be empty.
func LinearScores[T Float | Index](dst []float32, x []T, coef, intercept []float32, cols, targets int) {
	for i := range dst {
		r, t := i/targets, i%targets
		sum := 0.0
		for k, c := range coef[t*cols : (t+1)*cols] {
			sum += float64(float64(x[r*cols+k]) * float64(c))
		}
		if len(intercept) > 0 {
			sum += float64(intercept[t])
		}
		dst[i] = float32(sum)
	}
}
