package web

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/host/live"
	"github.com/bbgen/bbgen/runtime/host/train"
)

// Page is a [train.Recorder] that serves a page. The zero value serves nothing unless its flag is given.
type Page struct {
	address string
	server  *live.Server // may be nil

	mu          sync.Mutex // guards all fields below, which requests of browsers read
	t           *train.Training
	began       time.Time
	latest      train.Line // the last numbers of steps and of validations
	train, val  live.Curve
	accuracy    live.Curve
	perplexity  live.Curve
	rate, norm  live.Curve
	speed       live.Curve
	weights     []weight
	computedAt  time.Time     // when histograms of the weights were computed last
	computeTime time.Duration // how long that took
	requested   time.Time     // the last request of a browser
	samples     []sample
	validations int
}

// Flags declares the flag.
func (p *Page) Flags(f *flag.FlagSet) {
	f.StringVar(&p.address, "http", "", "serve a page that shows how the training goes at `ADDRESS`; a port alone is on loopback, and others need the token that is printed")
}

// Begin starts the server. A peer that takes over a training continues without a page if the address is in
// use.
func (p *Page) Begin(t *train.Training) error {
	if p.address == "" {
		return nil
	}
	p.t, p.began = t, time.Now()
	server, err := live.Open(p.address, p.page)
	switch {
	case err != nil && t.TakenOver:
		t.Say(fmt.Sprintf("--http: %v", err))
		return nil
	case err != nil:
		return fmt.Errorf("--http: %w", err)
	}
	p.server = server
	t.Say("watch it at " + server.URL)
	return nil
}

// Record records a step or a validation.
func (p *Page) Record(l *train.Line) error {
	if p.server == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := float64(l.Step)
	for _, x := range []struct {
		curve *live.Curve
		value *float64
		last  **float64
	}{
		{&p.train, l.Loss, &p.latest.Loss}, {&p.val, l.ValLoss, &p.latest.ValLoss}, {&p.accuracy, l.Accuracy, &p.latest.Accuracy},
		{&p.perplexity, l.Perplexity, &p.latest.Perplexity}, {&p.rate, l.Rate, &p.latest.Rate}, {&p.norm, l.Norm, &p.latest.Norm},
	} {
		if x.value != nil {
			x.curve.Add(at, *x.value)
			*x.last = x.value
		}
	}
	p.latest.Step, p.latest.Epoch = l.Step, l.Epoch
	if l.Speed > 0 {
		p.speed.Add(at, l.Speed)
	}
	if l.ValLoss != nil {
		p.validations++
		p.samples = samplesOf(l.Samples)
	}
	p.updateHistogramsIfDue(time.Now())
	return nil
}

// Flush does nothing: no data are buffered.
func (p *Page) Flush() error { return nil }

// Close shows the end of the training to browsers.
func (p *Page) Close(why error) error {
	if p.server == nil {
		return nil
	}
	p.mu.Lock()
	if time.Since(p.requested) <= shownFor {
		p.updateHistograms()
	}
	step := p.latest.Step
	p.mu.Unlock()
	switch {
	case why == nil:
		p.server.Close("ended after step %d", step)
	case errors.Is(why, train.ErrInterrupted):
		p.server.Close("%v", why)
	default:
		p.server.Close("failed: %v", why)
	}
	return nil
}

// page returns the page for a browser.
func (p *Page) page(context.Context) (*live.Page, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.requested = now
	return &live.Page{
		Title: p.t.Program.Name,
		Of:    fmt.Sprintf("%s, learned with %s by %s", p.t.Program.Source, p.t.Program.Loss, p.t.Program.Optimizer),
		Parts: []live.Part{{ID: "cards", HTML: p.cards(now)}, {ID: "charts", HTML: p.charts()}, {ID: "samples", HTML: p.images()}, {ID: "weights", HTML: p.histograms()}, {ID: "about", HTML: p.about()}},
	}, ""
}
