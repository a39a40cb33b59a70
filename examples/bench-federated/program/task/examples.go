package task

import (
	"math"
	"math/rand/v2"
)

// examples holds features with labels. Their model is multinomial logistic regression: the weights of each
// class, followed by the biases.
type examples struct {
	x                 []float32
	y                 []int
	features, classes int
	batch             int
}

// batch is the number of examples of a step on the generated data.
const batch = 10

func (e *examples) Size() int    { return e.classes * (e.features + 1) }
func (e *examples) Samples() int { return len(e.y) }

// of returns the features of an example.
func (e *examples) of(i int) []float32 { return e.x[i*e.features : (i+1)*e.features] }

// add appends examples.
func (e *examples) add(more examples) {
	e.x, e.y = append(e.x, more.x...), append(e.y, more.y...)
}

// predict writes the probability of each class to p.
func (e *examples) predict(p []float64, model, x []float32) {
	sum, most := 0.0, math.Inf(-1)
	for c := range p {
		w := model[c*(e.features+1) : (c+1)*(e.features+1)]
		p[c] = float64(dot(w[:e.features], x) + w[e.features])
		most = max(most, p[c])
	}
	for c := range p {
		p[c] = math.Exp(p[c] - most)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
}

// dot returns the product of two vectors of the same length. It uses four sums to hide the latency of additions.
func dot(a, b []float32) float32 {
	var s [4]float32
	b = b[:len(a)]
	n := len(a) &^ 3
	for i := 0; i < n; i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		for k := range s {
			s[k] += float32(x[k] * y[k])
		}
	}
	for i := n; i < len(a); i++ {
		s[0] += float32(a[i] * b[i])
	}
	return s[0] + s[1] + s[2] + s[3]
}

// Gradient computes the gradient of the cross-entropy of a batch drawn with r.
func (e *examples) Gradient(dst, model []float32, r *rand.Rand) {
	clear(dst)
	p := make([]float64, e.classes)
	for range e.batch {
		i := r.IntN(len(e.y))
		x := e.of(i)
		e.predict(p, model, x)
		p[e.y[i]]--
		for c := range p {
			d, w := float32(p[c]/float64(e.batch)), dst[c*(e.features+1):(c+1)*(e.features+1)]
			for j, v := range x {
				w[j] += float32(d * v)
			}
			w[e.features] += d
		}
	}
}

// Judge returns the mean cross-entropy and the accuracy.
func (e *examples) Judge(model []float32) (loss, accuracy float64) {
	p := make([]float64, e.classes)
	n := float64(len(e.y))
	for i, y := range e.y {
		e.predict(p, model, e.of(i))
		loss -= math.Log(max(p[y], 1e-30)) / n
		if p[y] >= p[largest(p)] {
			accuracy += 1 / n
		}
	}
	return loss, accuracy
}

// largest returns the index of the largest element.
func largest(p []float64) int {
	at := 0
	for i := range p {
		if p[i] > p[at] {
			at = i
		}
	}
	return at
}
