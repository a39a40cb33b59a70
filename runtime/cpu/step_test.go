package cpu

import (
	"slices"
	"testing"
)

// stepPieces are the steps by name with their portable forms and their numbers of slots.
var stepPieces = []struct {
	name     string
	piece    stepPiece
	portable stepPiece
	slots    int
}{
	{"Adam", stepAdam, adamGo[float32], 2},
	{"AdamTop", stepAdamTop, adamGo[float32], 3},
	{"SGD", stepSGD, sgdGo[float32], 0},
	{"Momentum", stepMomentum, momentumGo[float32], 1},
	{"Nesterov", stepNesterov, nesterovGo[float32], 1},
	{"Adagrad", stepAdagrad, adagradGo[float32], 1},
	{"RMSprop", stepRMSprop, rmspropGo[float32], 1},
	{"Lion", stepLion, lionGo[float32], 1},
}

// A step has the same bits at every level, for every length, and accesses no other memory.
func TestStepLevels(t *testing.T) {
	k := &stepNumbers[float32]{
		scale: 0.7, decay: 0.01, rate: 0.1, keep: 0.999, keep1: 0.9, take1: 0.1, keep2: 0.99, take2: 0.01, eps: 1e-3,
	}
	eachLevel(t, func(t *testing.T) {
		for _, s := range stepPieces {
			lengths(func(n int, w, g []float32) {
				var x [4][]float32 // w and the slots
				var want [4][]float32
				var checks []func(testing.TB)
				for i := range 1 + s.slots {
					d, check := guarded(n)
					for j := range d {
						d[j] = w[(j*7+i*3)%n] // moments may be negative, or NaN
					}
					x[i], want[i] = d, slices.Clone(d)
					checks = append(checks, check)
				}
				s.piece(x[0], x[1], x[2], x[3], g, k)
				s.portable(want[0], want[1], want[2], want[3], g, k)
				for i := range 1 + s.slots {
					checks[i](t)
					for j, v := range want[i] {
						if !sameValue(x[i][j], v) {
							t.Fatalf("%s: vector %d has %v at %d of %d, want %v", s.name, i, x[i][j], j, n, v)
						}
					}
				}
			})
		}
	})
}

// A step of a long parameter has the same bits on several threads, without allocations.
func TestStepThreads(t *testing.T) {
	defer SetThreads(0)
	const n = 3*stepTurn + 17
	p := StepParams{Factor: 1, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8, Decay: 0.01, Momentum: 0.9}
	nesterov := p
	nesterov.Nesterov = true
	g, rate, count := make([]float32, n), []float32{0.1}, []int64{2}
	for i := range g {
		g[i] = float32(i%31) - 15
	}
	for name, step := range map[string]func(w, m, v []float32){
		"adamw":    func(w, m, v []float32) { StepAdamW(w, m, v, nil, g, StepAt[float32]{Rate: rate, Step: count}, p) },
		"adam":     func(w, m, v []float32) { StepAdam(w, m, v, nil, g, StepAt[float32]{Rate: rate, Step: count}, p) },
		"sgd":      func(w, _, _ []float32) { StepSGD(w, nil, g, StepAt[float32]{Rate: rate, Step: count}, p) },
		"momentum": func(w, m, _ []float32) { StepSGD(w, m, g, StepAt[float32]{Rate: rate, Step: count}, p) },
		"nesterov": func(w, m, _ []float32) { StepSGD(w, m, g, StepAt[float32]{Rate: rate, Step: count}, nesterov) },
		"lion":     func(w, m, _ []float32) { StepLion(w, m, g, StepAt[float32]{Rate: rate, Step: count}, p) },
	} {
		var want []float32
		for _, threads := range []int{1, 4} {
			SetThreads(threads)
			w, m, v := make([]float32, n), make([]float32, n), make([]float32, n)
			run := func() { step(w, m, v) }
			run()
			got := slices.Clone(w)
			if want == nil {
				want = got
			} else if !slices.Equal(got, want) {
				t.Errorf("%s: %d threads give another result", name, threads)
			}
			if a := allocations(10, run); a > 0 {
				t.Errorf("%s with %d threads: %v allocations", name, threads, a)
			}
		}
	}
}
