package cpu

import (
	"math"
	"strings"
	"testing"
)

func TestNLLLoss(t *testing.T) {
	x := []float32{-1, -2, -3, -4, -5, -6} // a sample, 3 classes, 2 places
	target := []int64{2, 0}
	y := make([]float32, 2)
	NLLLoss(y, x, target, nil, Loss{Classes: 3, Inner: 2})
	about(t, "each", y, 5, 2)
	NLLLoss(y[:1], x, target, nil, Loss{Classes: 3, Inner: 2, Reduce: LossSum})
	about(t, "sum", y[:1], 7)
	NLLLoss(y[:1], x, target, []float32{3, 0, 1}, Loss{Classes: 3, Inner: 2, Reduce: LossMean})
	about(t, "weighted mean", y[:1], 11/4.)
	target[0] = -7
	o := Loss{Classes: 3, Inner: 2, Reduce: LossMean, Ignores: true, Ignore: -7}
	NLLLoss(y[:1], x, target, nil, o)
	about(t, "one ignored", y[:1], 2)
	NLLLoss(y[:1], x, []int64{-7, -7}, nil, o)
	about(t, "all ignored", y[:1], math.NaN())

	defer func() {
		if err, _ := recover().(*Error); err == nil || !strings.Contains(err.Msg, "target 0 is 3") {
			t.Errorf("got %v", err)
		}
	}()
	NLLLoss(y, x, []int32{3, 0}, nil, o)
}

func TestOptimizers(t *testing.T) {
	x, g := []float64{1, 2}, []float64{0.5, -1}
	v, h := []float64{0, 0}, []float64{0, 0}
	rate, step := []float32{0.5}, []int64{0}

	Momentum(x, v, OptimizerIn[float64, float32]{Rate: rate, Step: step, X: x, G: g, V: v}, OptimizerParams{Alpha: 0.9, Beta: 0.1})
	about(t, "first step", x, 0.75, 2.5)
	step[0] = 1
	Momentum(x, v, OptimizerIn[float64, float32]{Rate: rate, Step: step, X: x, G: g, V: v}, OptimizerParams{Alpha: 0.9, Beta: 0.1, Nesterov: true})
	about(t, "velocity", v, 0.5, -1)
	about(t, "Nesterov", x, 0.75-0.5*(0.5+0.45), 2.5+0.5*(1+0.9))

	x = []float64{1, 2}
	Adagrad(x, h, OptimizerIn[float64, float32]{Rate: rate, Step: step, X: x, G: g, H: h}, OptimizerParams{Decay: 1})
	about(t, "Adagrad", x, 1-0.25, 2+0.25)

	x, v, h = []float64{1, 2}, []float64{0, 0}, []float64{0, 0}
	Adam(x, v, h, OptimizerIn[float64, float32]{Rate: rate, Step: step, X: x, G: g, V: v, H: h}, OptimizerParams{Alpha: 0.9, Beta: 0.999})
	about(t, "Adam", x, 1-0.5, 2+0.5) // the first step has the length of the rate
}
