package live

import (
	"math"
	"slices"
)

// curvePoints is how many points a curve has at most.
const curvePoints = 256

// Curve is numbers over something that grows. It is never larger than some hundred points:
// when there are more, each two of them become one, the mean.
type Curve struct {
	X, Y  []float64
	each  int // how many numbers a point stands for
	count int // of the last point
	last  float64
}

// Add adds a number. One that is infinite or none is left out.
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

// Last is the number that was added last.
func (c *Curve) Last() float64 { return c.last }

// Clone is the curve as it is now.
func (c *Curve) Clone() *Curve {
	d := *c
	d.X, d.Y = slices.Clone(c.X), slices.Clone(c.Y)
	return &d
}

// halve makes one point of each two.
func (c *Curve) halve() {
	n := len(c.Y) / 2
	for i := range n {
		c.X[i], c.Y[i] = c.X[2*i+1], (c.Y[2*i]+c.Y[2*i+1])/2
	}
	c.X, c.Y = c.X[:n], c.Y[:n]
	c.each *= 2
}
