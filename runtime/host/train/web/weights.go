package web

import (
	"fmt"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/host/live"
	"github.com/bbgen/bbgen/runtime/host/tensorboard"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// weight is the display of a weight.
type weight struct {
	title string
	*tensorboard.Histogram
}

const (
	maxWeights  = 60              // the number of weights with histograms
	maxElements = 1 << 16         // the number of elements of a weight in a histogram
	shownFor    = 5 * time.Second // how long after a browser's request the page counts as shown
)

// updateHistogramsIfDue computes the histograms of weights if a browser shows the page: once a second, using at most a
// fiftieth of the time.
func (p *Page) updateHistogramsIfDue(now time.Time) {
	if now.Sub(p.requested) <= shownFor && now.Sub(p.computedAt) >= max(time.Second, 50*p.computeTime) {
		p.updateHistograms()
		p.computedAt, p.computeTime = now, time.Since(now)
	}
}

// updateHistograms computes the histograms of weights.
func (p *Page) updateHistograms() {
	p.weights = p.weights[:0]
	list := p.t.Parameters()
	for _, x := range list[:min(len(list), maxWeights)] {
		h := tensorboard.HistogramOf(sampleOf(x.Value))
		if h == nil {
			continue
		}
		title := fmt.Sprintf("%s %v", x.Name, x.Value.Shape)
		if x.GradientNorm > 0 {
			title += ", gradient " + live.Number(x.GradientNorm)
		}
		p.weights = append(p.weights, weight{title, h})
	}
}

// sampleOf returns a regular sample of the elements of a tensor.
func sampleOf(t *tensor.Tensor) *tensor.Tensor {
	d, ok := t.Data.([]float32)
	if !ok || len(d) <= maxElements {
		return t
	}
	every := (len(d) + maxElements - 1) / maxElements
	var out []float32
	for i := 0; i < len(d); i += every {
		out = append(out, d[i])
	}
	return tensor.Of(out, len(out))
}

// histograms returns the histograms of the weights.
func (p *Page) histograms() string {
	if len(p.weights) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<h2>Weights</h2>\n<div class=small>\n")
	for _, w := range p.weights {
		b.WriteString(live.Bars(w.title, w.Counts, w.Min, w.Max))
		b.WriteByte('\n')
	}
	b.WriteString("</div>\n")
	return b.String()
}
