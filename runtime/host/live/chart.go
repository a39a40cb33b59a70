package live

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// A Series is a named curve.
type Series struct {
	Name string
	*Curve
}

// The viewport of a chart, which the browser scales.
const chartWidth, chartHeight = 1000, 200

// maxSeries is how many curves of a chart can be distinguished by color and dashes.
const maxSeries = 6

// Chart returns a figure of curves over x. The script makes its points readable by pointer and by arrow keys.
// The scale is logarithmic if the largest value is more than a hundred times the smallest. Curves without
// points are left out, and so are those after the sixth; the result is "" if none is left.
func Chart(id, title, x string, series ...Series) string {
	var shown []Series
	for _, s := range series {
		if s.Curve != nil && len(s.X) > 0 && len(shown) < maxSeries {
			shown = append(shown, s)
		}
	}
	if len(shown) == 0 {
		return ""
	}
	return newChart(shown).html(id, title, x)
}

// chart is curves, and the ranges of both axes.
type chart struct {
	series         []Series
	x0, x1, y0, y1 float64
	log            bool
}

func newChart(series []Series) *chart {
	inf := math.Inf(1)
	c := &chart{series: series, x0: inf, x1: -inf, y0: inf, y1: -inf}
	for _, s := range series {
		c.x0, c.x1 = min(c.x0, s.X[0]), max(c.x1, s.X[len(s.X)-1])
		for _, y := range s.Y {
			c.y0, c.y1 = min(c.y0, y), max(c.y1, y)
		}
	}
	c.log = c.y0 > 0 && c.y1 > 100*c.y0
	if c.x1 == c.x0 {
		c.x1++
	}
	if c.y1 == c.y0 {
		margin := max(math.Abs(c.y0)/2, 1e-12)
		c.y0, c.y1 = c.y0-margin, c.y1+margin
	}
	return c
}

// html returns the figure. Its attributes give the script the scales of the axes.
func (c *chart) html(id, title, x string) string {
	var b strings.Builder
	scale, how := "linear", ""
	if c.log {
		scale, how = "log", " <small>(logarithmic)</small>"
	}
	var said []string
	for _, s := range c.series {
		said = append(said, s.Name+" "+Number(s.Last()))
	}
	e := html.EscapeString
	fmt.Fprintf(&b, `<figure class=chart id="%s" tabindex=0 role=group aria-label="%s: %s" data-x="%s" data-range="%g %g %g %g" data-scale=%s>`,
		e(id), e(title), e(strings.Join(said, ", ")), e(x), c.x0, c.x1, c.y0, c.y1, scale)
	fmt.Fprintf(&b, "<figcaption><b>%s</b>%s", e(title), how)
	for i, s := range c.series {
		fmt.Fprintf(&b, ` <span class="key s%d" data-name="%s">%s <var>%s</var></span>`, i, e(s.Name), e(s.Name), Number(s.Last()))
	}
	fmt.Fprintf(&b, "</figcaption><div class=plot><span class=high>%s</span><span class=low>%s</span>", Number(c.y1), Number(c.y0))
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" preserveAspectRatio=none aria-hidden=true>`, chartWidth, chartHeight)
	for i, s := range c.series {
		fmt.Fprintf(&b, `<polyline class=s%d points="%s"/>`, i, c.points(s.Curve))
	}
	fmt.Fprintf(&b, "</svg><i class=cursor></i></div><div class=axis><span>%s</span><output>%s</output><span>%s</span></div></figure>", Number(c.x0), e(x), Number(c.x1))
	return b.String()
}

// points returns a curve's points in the viewport.
func (c *chart) points(s *Curve) string {
	var b []byte
	y0, y1 := c.scaled(c.y0), c.scaled(c.y1)
	for i := range s.X {
		x := (s.X[i] - c.x0) / (c.x1 - c.x0) * chartWidth
		y := chartHeight - (c.scaled(s.Y[i])-y0)/(y1-y0)*chartHeight
		b = strconv.AppendFloat(b, x, 'f', 1, 64)
		b = append(b, ',')
		b = strconv.AppendFloat(b, y, 'f', 1, 64)
		b = append(b, ' ')
	}
	if n := len(s.X); n == 1 { // one point is not a line
		b = append(b, fmt.Sprintf("%d,%s", chartWidth, strings.Split(strings.TrimSpace(string(b)), ",")[1])...)
	}
	return strings.TrimSpace(string(b))
}

func (c *chart) scaled(y float64) float64 {
	if c.log {
		return math.Log(y)
	}
	return y
}

// Number formats a number for users.
func Number(x float64) string {
	if math.Abs(x) >= 1000 && math.Abs(x) < 1e9 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}
