package web

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/bbgen/bbgen/internal/browsertest"
	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// training returns a training of 100 steps, of a model with one weight, and its printed lines.
func training() (*train.Training, *[]string) {
	var said []string
	w := tensor.Of([]float32{-1, 0, 0.5, 1}, 2, 2)
	return &train.Training{
		Program: model.TrainProgram{Name: "<lenet>", Source: "lenet.onnx", Loss: "cross_entropy", Optimizer: "adamw"},
		Total:   100, PerEpoch: 10, Batch: 8, EvalEvery: 10, Examples: 80, Held: 20, Names: []string{"cat", "<dog>"},
		Say:        func(line string) { said = append(said, line) },
		Parameters: func() []train.Parameter { return []train.Parameter{{Name: "fc.weight", Value: w, GradientNorm: 0.25}} },
	}, &said
}

// opened returns a page of a training at an address.
func opened(t *testing.T, address string) *Page {
	t.Helper()
	p := &Page{}
	f := flag.NewFlagSet("", flag.ContinueOnError)
	p.Flags(f)
	if err := f.Parse([]string{"-http", address}); err != nil {
		t.Fatal(err)
	}
	tr, said := training()
	if err := p.Begin(tr); err != nil {
		t.Fatal(err)
	}
	if len(*said) != 1 || (*said)[0] != "watch it at "+p.server.URL {
		t.Errorf("it says %q", *said)
	}
	return p
}

// step records a step, and every tenth time a validation.
func step(t *testing.T, p *Page, n int) {
	t.Helper()
	loss, rate, norm := 4/float64(n), 0.001, 1.5
	l := &train.Line{Step: n, Epoch: (n-1)/10 + 1, Loss: &loss, Rate: &rate, Norm: &norm, Speed: 1000}
	if err := p.Record(l); err != nil {
		t.Fatal(err)
	}
	if n%10 != 0 {
		return
	}
	accuracy := 0.75
	l = &train.Line{Step: n, Epoch: (n-1)/10 + 1, ValLoss: &loss, Accuracy: &accuracy, Samples: []train.Sample{
		{Shape: []int{2, 3}, Pixels: []float32{0, 1, 2, 3, 4, 5}, Label: "cat", Said: "cat", Right: true},
		{Shape: []int{3, 1, 2}, Pixels: []float32{-1, 0, 0, 1, 1, -1}, Label: "cat", Said: "<dog>"},
	}}
	if err := p.Record(l); err != nil {
		t.Fatal(err)
	}
}

// text returns all parts of a page.
func text(p *Page) string {
	x, _ := p.page(context.Background())
	var b strings.Builder
	for _, part := range x.Parts {
		b.WriteString(part.HTML)
	}
	return b.String()
}

// TestPage shows the recorded numbers, and the weights and examples if there are any.
func TestPage(t *testing.T) {
	p := opened(t, "0")
	defer p.Close(nil)
	if got := text(p); strings.Contains(got, "figure") || !strings.Contains(got, "<b>0 of 100</b>steps") || !strings.Contains(got, "classes: cat, &lt;dog&gt;") {
		t.Errorf("before the first step the page is %s", got)
	}
	for n := range 10 {
		step(t, p, n+1)
	}
	got := text(p)
	for _, want := range []string{
		"<b>10 of 100</b>steps", "<b>1</b>epoch", "<b>0.4</b>loss", "<b>0.4</b>validation loss", "<b>75 %</b>accuracy", "<b>0.001</b>learning rate", "<b>1.5</b>gradient norm",
		"<b>1000</b>examples/s", "</b>left", `id="chart-loss"`, `aria-label="Loss: training 0.4, validation 0.4"`, `id="chart-speed"`, "in validation 1",
		"✓ cat", "✗ &lt;dog&gt;, not cat", "<figcaption>fc.weight [2 2], gradient 0.25</figcaption>", "80 examples to learn from, 20 held back",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(got, "chart-perplexity") {
		t.Error("the page has a chart of an unreported metric")
	}
}

// TestLeft computes the remaining time from the speed of this process.
func TestLeft(t *testing.T) {
	p := &Page{began: time.Unix(0, 0)}
	p.t, _ = training()
	p.t.Step = 40 // it was resumed
	for at, want := range map[int]string{40: "0s false", 60: "40s true", 100: "0s false"} {
		p.latest.Step = at
		left, ok := p.left(time.Unix(20, 0))
		if got := fmt.Sprintln(left, ok); strings.TrimSpace(got) != want {
			t.Errorf("after step %d it is %s, want %s", at, got, want)
		}
	}
}

// TestWeights computes histograms only while a browser shows the page, at intervals.
func TestWeights(t *testing.T) {
	looks := 0
	p := &Page{}
	p.t, _ = training()
	all := p.t.Parameters
	p.t.Parameters = func() []train.Parameter { looks++; return all() }
	now := time.Now()
	for _, tt := range []struct {
		asked, weighed, weighing time.Duration // before now
		want                     int
	}{
		{time.Hour, time.Hour, 0, 0}, {time.Second, time.Hour, 0, 1}, {time.Second, time.Second / 2, 0, 0}, {time.Second, 10 * time.Second, time.Second, 0}, {time.Second, time.Minute, time.Second, 1},
	} {
		looks, p.requested, p.computedAt, p.computeTime = 0, now.Add(-tt.asked), now.Add(-tt.weighed), tt.weighing
		if p.updateHistogramsIfDue(now); looks != tt.want {
			t.Errorf("%+v: they are looked at %d times", tt, looks)
		}
	}
	big := make([]float32, 10*maxElements+1)
	big[0] = 1
	if got := sampleOf(tensor.Of(big, len(big))); got.Len() > maxElements || got.Len() < maxElements/2 || tensor.Data[float32](got)[0] != 1 {
		t.Errorf("of many elements %d are looked at", got.Len())
	}
}

// TestPicture scales images from their smallest to their largest value.
func TestPicture(t *testing.T) {
	nan := float32(math.NaN())
	for _, tt := range []struct {
		shape      []int
		pixels     []float32
		x, y       int
		want       color.RGBA
		wide, high int
	}{
		{[]int{2, 3}, []float32{0, 1, 2, 3, 4, 5}, 2, 1, color.RGBA{255, 255, 255, 255}, 3, 2},
		{[]int{1, 2, 3}, []float32{0, 1, 2, 3, 4, 5}, 0, 0, color.RGBA{0, 0, 0, 255}, 3, 2},
		{[]int{3, 1, 2}, []float32{-1, 1, 0, -1, 1, -1}, 1, 0, color.RGBA{255, 0, 0, 255}, 2, 1},
		{[]int{2, 2}, []float32{7, 7, 7, 7}, 0, 0, color.RGBA{0, 0, 0, 255}, 2, 2},
		{[]int{2, 2}, []float32{nan, nan, nan, nan}, 0, 0, color.RGBA{0, 0, 0, 255}, 2, 2},
		{[]int{2, maxSide + 1}, make([]float32, 2*(maxSide+1)), 0, 0, color.RGBA{0, 0, 0, 255}, maxSide, 2},
	} {
		m := picture(tt.shape, tt.pixels)
		if got := color.RGBAModel.Convert(m.At(tt.x, tt.y)); got != tt.want || m.Bounds().Dx() != tt.wide || m.Bounds().Dy() != tt.high {
			t.Errorf("%v: %v at %d,%d of %v, want %v", tt.shape, got, tt.x, tt.y, m.Bounds(), tt.want)
		}
	}
}

// TestTaken fails at an address that is taken, except for a peer that takes over a training: it continues.
func TestTaken(t *testing.T) {
	p := opened(t, "0")
	defer p.Close(nil)
	other := &Page{address: strings.TrimSuffix(strings.TrimPrefix(p.server.URL, "http://"), "/")}
	tr, said := training()
	if err := other.Begin(tr); err == nil || !strings.HasPrefix(err.Error(), "--http: ") {
		t.Errorf("got %v", err)
	}
	tr.TakenOver = true
	if err := other.Begin(tr); err != nil || len(*said) != 1 {
		t.Errorf("the trainer that takes over logs %q, error %v", *said, err)
	}
	step(t, other, 1)
	if err := errors.Join(other.Flush(), other.Close(nil)); err != nil {
		t.Error(err)
	}
}

// TestBrowser follows a training in a browser, on a small screen with a dark theme, by keyboard.
func TestBrowser(t *testing.T) {
	p := opened(t, "0")
	for n := range 20 {
		step(t, p, n+1)
	}
	b := browsertest.Open(t, p.server.URL, 360, 640)
	b.Dark()
	b.Until("document.getElementById('state').textContent == 'live' && document.body.innerText.includes('20 of 100')")
	step(t, p, 21)
	b.Until("document.body.innerText.includes('21 of 100') && document.body.innerText.includes('fc.weight [2 2]')")
	b.Until("[...document.images].length == 2 && [...document.images].every((i) => i.complete && i.naturalWidth > 0)")
	if n := browsertest.Eval[float64](b, "document.documentElement.scrollWidth"); n > 360 {
		t.Errorf("the page is %v wide, want 360 at most", n)
	}
	b.Do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.ArrowLeft))
	b.Until("document.querySelector('#chart-loss output').textContent == 'step 21: training 0.1905, validation 0.2'")
	b.Looks("narrow")
	if err := p.Close(fmt.Errorf("%w after step 21 of 100", train.ErrInterrupted)); err != nil {
		t.Fatal(err)
	}
	b.Until("document.getElementById('state').textContent == 'interrupted after step 21 of 100'")
	b.Quiet(p.server.URL, p.server.URL+"events")
}
