package live

import (
	"math"
	"slices"
)

// curvePoints is the maximum number of points of a curve.
const curvePoints = 256

// A Curve is numbers over an increasing x. It has at most some hundred points: if there are more, each pair is
// replaced by its mean.
type Curve struct {
	X, Y  []float64
	each  int // how many numbers a point represents
	count int // of the last point
	last  float64
}

// Add adds a number. NaN and infinities are ignored.
func (c *Curve) Add(x, y float64) {
	if math.IsNaN(y) || math.IsInf(y, 0) {
		return
	}
	c.last, c.each = y, max(c.each, 1)
	if n := len(c.Y); c.count > 0 && c.count < c.each {
		c.X[n-1] = x
		c.Y[n-1] += (y - c.Y[n-1]) / float64(c.count+1)
		c.count++
		return
	}
	if len(c.Y) == curvePoints {
		c.halve()
	}
	c.X, c.Y, c.count = append(c.X, x), append(c.Y, y), 1
}

// Last returns the number that was added last.
func (c *Curve) Last() float64 { return c.last }

// Clone returns a copy of the curve.
func (c *Curve) Clone() *Curve {
	d := *c
	d.X, d.Y = slices.Clone(c.X), slices.Clone(c.Y)
	return &d
}

// halve replaces each pair of points by one.
func (c *Curve) halve() {
	n := len(c.Y) / 2
	for i := range n {
		c.X[i], c.Y[i] = c.X[2*i+1], (c.Y[2*i]+c.Y[2*i+1])/2
	}
	c.X, c.Y = c.X[:n], c.Y[:n]
	c.each *= 2
}
