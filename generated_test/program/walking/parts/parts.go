// Package parts holds the components of the walking program.
package parts

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/values"
)

// Line is the line y = a·x + b, which a worker fits to points of its own, and the points.
type Line struct {
	points  [][2]float64
	trained int64
}

// The line on which the points of all workers are, and how many points each has.
const (
	A      = 2
	B      = -1
	points = 16
)

// Open makes the points of the peer. Those of one rank are near each other, so that no worker finds the line alone.
func (l *Line) Open(env runtime.Env) error {
	r := rand.New(rand.NewPCG(env.Seed, uint64(env.Rank)))
	for range points {
		x := float64(env.Rank%6)/3 - 5.0/6 + r.Float64()/10
		l.points = append(l.points, [2]float64{x, A*x + B})
	}
	return nil
}

// Train takes a step of gradient descent for each point.
func (l *Line) Train(model []float64) ([]float64, error) {
	if len(model) == 0 {
		model = []float64{0, 0}
	}
	l.trained++
	for _, p := range l.points {
		off := model[0]*p[0] + model[1] - p[1]
		model[0] -= off * p[0] / 10
		model[1] -= off / 10
	}
	return model, nil
}

// Trained returns how often the peer has trained a model.
func (l *Line) Trained() (int64, error) { return l.trained, nil }

// AppendBinary appends how often the peer has trained.
func (l *Line) AppendBinary(b []byte) ([]byte, error) { return values.AppendScalar(b, l.trained), nil }

// UnmarshalBinary reads the output of AppendBinary.
func (l *Line) UnmarshalBinary(b []byte) error {
	f := values.NewFields(b)
	values.ReadScalar(f, &l.trained)
	return f.End()
}
