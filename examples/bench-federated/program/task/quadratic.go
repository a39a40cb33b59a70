package task

import (
	"math"
	"math/rand/v2"
)

// quadratic is the loss x²+G·x of the first client and -G·x of the second: S. P. Karimireddy and others,
// 2020, theorem II. The minimum of their mean is at 0.
type quadratic struct {
	g     float64
	first bool
}

func (quadratic) Size() int    { return 1 }
func (quadratic) Samples() int { return 1 }

func (q quadratic) Gradient(dst, model []float32, _ *rand.Rand) {
	dst[0] = float32(-q.g)
	if q.first {
		dst[0] = 2*model[0] + float32(q.g)
	}
}

// Judge returns the distance of the model from the optimum as its loss.
func (quadratic) Judge(model []float32) (loss, accuracy float64) {
	return math.Abs(float64(model[0])), 0
}
