package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// stepRule is an optimizer with its rule for one element: exact changes x, which is the parameter and its state, for the
// gradient d of step k. The rules are those of torch.optim.
type stepRule[T Float] struct {
	name  string
	slots int
	p     StepParams
	step  func(x [][]T, g []T, at StepAt[T], p StepParams)
	exact func(x []float64, d, rate, k float64, p StepParams)
}

func stepRules[T Float]() []stepRule[T] {
	adam := func(x [][]T, g []T, at StepAt[T], p StepParams) { StepAdam(x[0], x[1], x[2], nil, g, at, p) }
	sgd := func(x [][]T, g []T, at StepAt[T], p StepParams) { StepSGD(x[0], x[1], g, at, p) }
	momentum := func(x []float64, d, rate, k float64, p StepParams) {
		d += p.Decay * x[0]
		if x[1] = p.Momentum*x[1] + (1-p.Dampening)*d; k == 1 {
			x[1] = d
		}
		if p.Nesterov {
			x[0] -= rate * (d + p.Momentum*x[1])
		} else {
			x[0] -= rate * x[1]
		}
	}
	return []stepRule[T]{
		{"Adam", 2, StepParams{Factor: 0.5, Beta1: 0.8, Beta2: 0.9, Epsilon: 1e-3, Decay: 0.1}, adam, func(x []float64, d, rate, k float64, p StepParams) {
			exactAdam(x, d+p.Decay*x[0], rate, k, p, false)
		}},
		{"Adam that ascends", 2, StepParams{Factor: 1, Beta1: 0.8, Beta2: 0.9, Epsilon: 1e-3, Maximize: true}, adam, func(x []float64, d, rate, k float64, p StepParams) {
			exactAdam(x, d, rate, k, p, false)
		}},
		{"AMSGrad", 3, StepParams{Factor: 1, Beta1: 0.8, Beta2: 0.3, Epsilon: 1e-3}, func(x [][]T, g []T, at StepAt[T], p StepParams) {
			StepAdam(x[0], x[1], x[2], x[3], g, at, p)
		}, func(x []float64, d, rate, k float64, p StepParams) { exactAdam(x, d, rate, k, p, true) }},
		{"AdamW", 2, StepParams{Factor: 0.5, Beta1: 0.8, Beta2: 0.9, Epsilon: 1e-3, Decay: 0.1}, func(x [][]T, g []T, at StepAt[T], p StepParams) {
			StepAdamW(x[0], x[1], x[2], nil, g, at, p)
		}, func(x []float64, d, rate, k float64, p StepParams) {
			x[0] -= rate * p.Decay * x[0]
			exactAdam(x, d, rate, k, p, false)
		}},
		{"SGD", 0, StepParams{Factor: 2, Decay: 0.1}, func(x [][]T, g []T, at StepAt[T], p StepParams) { StepSGD(x[0], nil, g, at, p) },
			func(x []float64, d, rate, _ float64, p StepParams) { x[0] -= rate * (d + p.Decay*x[0]) }},
		{"Momentum", 1, StepParams{Factor: 1, Momentum: 0.9, Dampening: 0.25, Decay: 0.1}, sgd, momentum},
		{"Nesterov", 1, StepParams{Factor: 1, Momentum: 0.9, Nesterov: true, Maximize: true}, sgd, momentum},
		{"Adagrad", 1, StepParams{Factor: 1, RateDecay: 0.5, Decay: 0.1, Epsilon: 1e-3}, func(x [][]T, g []T, at StepAt[T], p StepParams) {
			StepAdagrad(x[0], x[1], g, at, p)
		}, func(x []float64, d, rate, k float64, p StepParams) {
			d += p.Decay * x[0]
			x[1] += d * d
			x[0] -= rate / (1 + (k-1)*p.RateDecay) * d / (math.Sqrt(x[1]) + p.Epsilon)
		}},
		{"RMSprop", 1, StepParams{Factor: 1, Beta2: 0.7, Decay: 0.1, Epsilon: 1e-3}, func(x [][]T, g []T, at StepAt[T], p StepParams) {
			StepRMSprop(x[0], x[1], nil, nil, g, at, p)
		}, func(x []float64, d, rate, _ float64, p StepParams) {
			x[0] -= rate * rmsDirection(x[:2], nil, d, p)
		}},
		{"RMSprop of the variance", 2, StepParams{Factor: 1, Beta2: 0.7, Epsilon: 1e-2}, func(x [][]T, g []T, at StepAt[T], p StepParams) {
			StepRMSprop(x[0], x[1], x[2], nil, g, at, p)
		}, func(x []float64, d, rate, _ float64, p StepParams) { x[0] -= rate * rmsDirection(x[:2], &x[2], d, p) }},
		{"RMSprop with momentum", 3, StepParams{Factor: 1, Beta2: 0.7, Epsilon: 1e-2, Momentum: 0.6, Decay: 0.1}, func(x [][]T, g []T, at StepAt[T], p StepParams) {
			StepRMSprop(x[0], x[1], x[2], x[3], g, at, p)
		}, func(x []float64, d, rate, _ float64, p StepParams) {
			x[3] = p.Momentum*x[3] + rmsDirection(x[:2], &x[2], d, p)
			x[0] -= rate * x[3]
		}},
		{"Lion", 1, StepParams{Factor: 0.5, Beta1: 0.9, Beta2: 0.8, Decay: 0.1}, func(x [][]T, g []T, at StepAt[T], p StepParams) {
			StepLion(x[0], x[1], g, at, p)
		}, func(x []float64, d, rate, _ float64, p StepParams) {
			u := p.Beta1*x[1] + (1-p.Beta1)*d
			x[0] -= rate * p.Decay * x[0]
			if u != 0 {
				x[0] -= rate * math.Copysign(1, u)
			}
			x[1] = p.Beta2*x[1] + (1-p.Beta2)*d
		}},
	}
}

// exactAdam is w -= rate·m̂/(√v̂+eps), where m̂ = m/(1-beta1^k) and v̂ = v/(1-beta2^k); with top, v is the largest so far.
func exactAdam(x []float64, d, rate, k float64, p StepParams, top bool) {
	x[1] = p.Beta1*x[1] + (1-p.Beta1)*d
	x[2] = p.Beta2*x[2] + (1-p.Beta2)*d*d
	v := x[2]
	if top {
		x[3] = max(x[3], v)
		v = x[3]
	}
	x[0] -= rate * x[1] / (1 - math.Pow(p.Beta1, k)) / (math.Sqrt(v/(1-math.Pow(p.Beta2, k))) + p.Epsilon)
}

// rmsDirection is d/(√(h - mean²) + eps), where h and the mean are running averages of d² and d.
func rmsDirection(x []float64, mean *float64, d float64, p StepParams) float64 {
	d += p.Decay * x[0]
	x[1] = p.Beta2*x[1] + (1-p.Beta2)*d*d
	h := x[1]
	if mean != nil {
		*mean = p.Beta2**mean + (1-p.Beta2)*d
		h -= *mean * *mean
	}
	return d / (math.Sqrt(h) + p.Epsilon)
}

// TestStepRules compares three steps of each optimizer with its rule, in both types, for lengths around those of vectors.
func TestStepRules(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		testStepRules[float32](t, 2e-5)
		testStepRules[float64](t, 1e-13)
	})
}

func testStepRules[T Float](t *testing.T, tol float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, r := range stepRules[T]() {
		for _, n := range []int{0, 1, 7, 8, 9, 16, 33} {
			x := make([][]T, 1+r.slots)
			exact := make([][]float64, n) // of each element
			x[0] = uniform[T](rng, n)
			for s := range r.slots {
				x[1+s] = make([]T, n)
			}
			for i := range exact {
				exact[i] = make([]float64, 1+r.slots)
				exact[i][0] = float64(x[0][i])
			}
			scale := 0.5
			for k := 1; k <= 3; k++ {
				g := uniform[T](rng, n)
				r.step(x, g, StepAt[T]{Rate: []T{0.25}, Step: []int64{int64(k)}, Scale: []T{T(scale)}}, r.p)
				for i, v := range g {
					d := scale * float64(v)
					if r.p.Maximize {
						d = -d
					}
					r.exact(exact[i], d, 0.25*r.p.Factor, float64(k), r.p)
				}
			}
			for i, e := range exact {
				for s := range x {
					if got := float64(x[s][i]); !(math.Abs(got-e[s]) <= tol*(1+math.Abs(e[s]))) {
						t.Fatalf("%s: element %d of %d, vector %d is %v, want %v", r.name, i, n, s, got, e[s])
					}
				}
			}
		}
	}
}

// A factor of the gradient that is no number skips the step.
func TestStepsAreSkipped(t *testing.T) {
	rules := append(stepRules[float32](),
		stepRule[float32]{name: "LAMB", slots: 3, step: func(x [][]float32, g []float32, at StepAt[float32], p StepParams) {
			StepLAMB(x[0], x[1], x[2], x[3], g, at, p)
		}},
		stepRule[float32]{name: "Muon", slots: 3, step: func(x [][]float32, g []float32, at StepAt[float32], p StepParams) {
			StepMuon(x[0], x[1], slices.Concat(x[2], x[3]), g, at, 1, 3, p)
		}})
	for _, r := range rules {
		x := [][]float32{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {1, 1, 1}}
		want := fmt.Sprint(x)
		r.step(x, []float32{1, 1, 1}, StepAt[float32]{Rate: []float32{1}, Step: []int64{2}, Scale: []float32{float32(nan)}}, r.p)
		if got := fmt.Sprint(x); got != want {
			t.Errorf("%s: got %s, want %s", r.name, got, want)
		}
	}
}

// TestStepLAMB compares steps with the paper's algorithm (You et al., 2020), and with lengths of 0.
func TestStepLAMB(t *testing.T) {
	for _, n := range []int{1, 3, 4, 9, 33} {
		testStepLAMB[float64](t, n, 1e-12)
		testStepLAMB[float32](t, n, 2e-5)
	}
	w, z := []float64{0, 0}, func() []float64 { return make([]float64, 2) }
	p := StepParams{Factor: 1, Beta1: 0.9, Beta2: 0.99}
	StepLAMB(w, z(), z(), z(), []float64{2, -3}, StepAt[float64]{Rate: []float64{0.1}, Step: []int64{1}}, p)
	about(t, "a parameter of length 0", w, -0.1, 0.1) // u is ±1, and its length does not count
}

func testStepLAMB[T Float](t *testing.T, n int, tol float64) {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	p := StepParams{Factor: 0.5, Beta1: 0.8, Beta2: 0.9, Epsilon: 1e-3, Decay: 0.1}
	w, m, v, u := uniform[T](rng, n), make([]T, n), make([]T, n), make([]T, n)
	exact, em, ev := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range exact {
		exact[i] = float64(w[i])
	}
	for k := 1; k <= 3; k++ {
		g := uniform[T](rng, n)
		StepLAMB(w, m, v, u, g, StepAt[T]{Rate: []T{0.25}, Step: []int64{int64(k)}}, p)
		direction := make([]float64, n)
		for i, d := range g {
			em[i] = p.Beta1*em[i] + (1-p.Beta1)*float64(d)
			ev[i] = p.Beta2*ev[i] + (1-p.Beta2)*float64(d)*float64(d)
			mean, square := em[i]/(1-math.Pow(p.Beta1, float64(k))), ev[i]/(1-math.Pow(p.Beta2, float64(k)))
			direction[i] = mean/(math.Sqrt(square)+p.Epsilon) + p.Decay*exact[i]
		}
		rate := 0.25 * p.Factor * math.Sqrt(inner(exact, exact)/inner(direction, direction))
		for i, d := range direction {
			exact[i] -= rate * d
		}
	}
	got := make([]float64, n)
	Cast(got, w)
	nearly(t, fmt.Sprint("LAMB of ", n), got, exact, tol)
}

// TestStepMuon compares steps of wide, tall and square matrices with the iteration X ← aX + (bA + cA²)X, A = XXᵀ.
func TestStepMuon(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 5}, {7, 3}, {9, 9}, {17, 8}} {
		for _, nesterov := range []bool{false, true} {
			testStepMuon[float64](t, size[0], size[1], nesterov, 1e-12)
			testStepMuon[float32](t, size[0], size[1], nesterov, 1e-3)
		}
	}
}

func testStepMuon[T Float](t *testing.T, rows, cols int, nesterov bool, tol float64) {
	n, k := rows*cols, min(rows, cols)
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	p := StepParams{Factor: 0.5, Momentum: 0.75, Decay: 0.1, Epsilon: 1e-7, Nesterov: nesterov}
	w, v, g := uniform[T](rng, n), uniform[T](rng, n), uniform[T](rng, n)
	want, x := make([]float64, n), make([]float64, n)
	for i := range want {
		mean := p.Momentum*float64(v[i]) + (1-p.Momentum)*2*float64(g[i])
		if x[i] = mean; nesterov {
			x[i] = p.Momentum*mean + (1-p.Momentum)*2*float64(g[i])
		}
		want[i] = float64(w[i])
	}
	norm := math.Sqrt(inner(x, x))
	for i := range x {
		x[i] /= norm
	}
	for range 5 {
		a := product64(x, x, rows, cols, rows, true)
		b := product64(a, a, rows, rows, rows, false)
		ax := product64(a, x, rows, rows, cols, false)
		bx := product64(b, x, rows, rows, cols, false)
		for i := range x {
			x[i] = 3.4445*x[i] - 4.775*ax[i] + 2.0315*bx[i]
		}
	}
	rate := 0.25 * p.Factor
	for i := range want {
		want[i] -= rate * (p.Decay*want[i] + math.Sqrt(max(1, float64(rows)/float64(cols)))*x[i])
	}
	StepMuon(w, v, make([]T, 2*n+2*k*k), g, StepAt[T]{Rate: []T{0.25}, Step: []int64{1}, Scale: []T{2}}, rows, cols, p)
	got := make([]float64, n)
	Cast(got, w)
	nearly(t, fmt.Sprint("Muon ", rows, cols, nesterov), got, want, tol)
}

// product64 is the product of a, which is [m, k], with b or with its transpose.
func product64(a, b []float64, m, k, n int, trans bool) []float64 {
	c := make([]float64, m*n)
	for i := range c {
		for l := range k {
			at := l*n + i%n
			if trans {
				at = i%n*k + l
			}
			c[i] += a[i/n*k+l] * b[at]
		}
	}
	return c
}
