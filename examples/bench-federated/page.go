package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// pageOf returns a page with a chart of each result, without scripts or external files.
func pageOf(results []*result) []byte {
	var b bytes.Buffer
	b.WriteString(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Federated learning, strategy by strategy</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
svg { width: 100%; height: auto; font-size: 12px }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } svg { color: #ddd } }
</style>
<h1>Federated learning, strategy by strategy</h1>
`)
	for _, r := range results {
		fmt.Fprintf(&b, "<h2 id=%q>%s</h2>\n<p>%s</p>\n", r.name, html.EscapeString(r.title), html.EscapeString(r.about))
		r.chart(&b, "")
		fmt.Fprintf(&b, "<p><code>go run ./examples/bench-federated -only %s</code></p>\n", r.name)
	}
	b.WriteString("</html>\n")
	return b.Bytes()
}

// The sizes of a chart, in its own units.
const (
	width, height = 640, 300
	left, bottom  = 60, 30
)

var colors = []string{"#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e", "#9498a0"}

// figure returns the chart as an image of its own, on a white background.
func (r *result) figure() []byte {
	var b bytes.Buffer
	r.chart(&b, ` xmlns="http://www.w3.org/2000/svg" style="background: white; font: 12px sans-serif"`)
	return b.Bytes()
}

// chart draws a result's curves, with their names in the order of their ends. The attributes are further ones of the
// image.
func (r *result) chart(b *bytes.Buffer, attributes string) {
	low, high := r.bounds()
	y := func(v float64) float64 { return 10 + (height-bottom-10)*(high-r.scaled(v))/(high-low) }
	fmt.Fprintf(b, "<svg viewBox=\"0 0 %d %d\" role=\"img\" fill=\"currentColor\"%s>\n", width+160, height, attributes)
	for i := range 5 {
		v := low + (high-low)*float64(i)/4
		at := 10 + (height-bottom-10)*(high-v)/(high-low)
		text := v
		if r.log {
			text = math.Pow(10, v)
		}
		fmt.Fprintf(b, "<path d=\"M%d %.1fH%d\" stroke=\"currentColor\" opacity=\".2\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.2g</text>\n", left, at, width, left-6, at+4, text)
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\">rounds 1 to %d</text>\n", left, height-8, len(r.curves[0]))
	for i, curve := range r.curves {
		fmt.Fprintf(b, "<path fill=\"none\" stroke-width=\"2\" stroke=\"%s\" d=\"", colors[i%len(colors)])
		for k, v := range curve {
			verb := 'L'
			if k == 0 {
				verb = 'M'
			}
			fmt.Fprintf(b, "%c%.1f %.1f", verb, left+float64(width-left)*float64(k)/float64(max(len(curve)-1, 1)), y(v))
		}
		name := fmt.Sprintf("%s: %.3g", r.rows[i].name, curve[len(curve)-1])
		fmt.Fprintf(b, "\"><title>%s</title></path>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", html.EscapeString(name), width+10, 20+18*i, colors[i%len(colors)], html.EscapeString(name))
	}
	b.WriteString("</svg>\n")
}

// scaled returns the position of a value on the axis.
func (r *result) scaled(v float64) float64 {
	if r.log {
		return math.Log10(max(v, 1e-9))
	}
	return v
}

// bounds returns the ends of the axis.
func (r *result) bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, curve := range r.curves {
		for _, v := range curve {
			low, high = min(low, r.scaled(v)), max(high, r.scaled(v))
		}
	}
	return low, max(high, low+1e-9)
}
