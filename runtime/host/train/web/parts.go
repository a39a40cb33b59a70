package web

import (
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/host/live"
)

// cards returns the latest numbers as HTML.
func (p *Page) cards(now time.Time) string {
	l := &p.latest
	list := []live.Card{{Value: fmt.Sprintf("%d of %d", max(l.Step, p.t.Step), p.t.Total), Name: "steps"}}
	if left, ok := p.left(now); ok {
		list = append(list, live.Card{Value: left.String(), Name: "left"})
	}
	if l.Epoch > 0 {
		list = append(list, live.Card{Value: fmt.Sprint(l.Epoch), Name: "epoch"})
	}
	add := func(name string, x *float64, factor float64, unit string) {
		if x != nil {
			list = append(list, live.Card{Value: live.Number(*x*factor) + unit, Name: name})
		}
	}
	add("loss", l.Loss, 1, "")
	add("validation loss", l.ValLoss, 1, "")
	add("accuracy", l.Accuracy, 100, " %")
	add("perplexity", l.Perplexity, 1, "")
	add("learning rate", l.Rate, 1, "")
	add("gradient norm", l.Norm, 1, "")
	if p.speed.Last() > 0 {
		list = append(list, live.Card{Value: fmt.Sprintf("%.0f", p.speed.Last()), Name: "examples/s"})
	}
	return live.Cards(list...)
}

// left estimates the remaining time.
func (p *Page) left(now time.Time) (left time.Duration, ok bool) {
	done, rest := p.latest.Step-p.t.Step, p.t.Total-p.latest.Step
	if done <= 0 || rest <= 0 {
		return 0, false
	}
	return (now.Sub(p.began) / time.Duration(done) * time.Duration(rest)).Round(time.Second), true
}

// charts returns the curves as HTML.
func (p *Page) charts() string {
	var b strings.Builder
	b.WriteString("<div class=charts>\n")
	chart := func(id, title string, series ...live.Series) {
		b.WriteString(live.Chart("chart-"+id, title, "step", series...))
		b.WriteByte('\n')
	}
	chart("loss", "Loss", live.Series{Name: "training", Curve: &p.train}, live.Series{Name: "validation", Curve: &p.val})
	chart("accuracy", "Accuracy", live.Series{Name: "validation", Curve: &p.accuracy})
	chart("perplexity", "Perplexity", live.Series{Name: "validation", Curve: &p.perplexity})
	chart("rate", "Learning rate", live.Series{Name: "rate", Curve: &p.rate})
	chart("norm", "Norm of the gradients", live.Series{Name: "norm", Curve: &p.norm})
	chart("speed", "Throughput", live.Series{Name: "examples/s", Curve: &p.speed})
	b.WriteString("</div>\n")
	return b.String()
}

// about returns the constant properties of the training as HTML.
func (p *Page) about() string {
	held := "nothing held back"
	if p.t.Held > 0 {
		held = fmt.Sprintf("%d held back", p.t.Held)
	}
	text := fmt.Sprintf("%d examples to learn from, %s; %d examples a step, %d steps an epoch", p.t.Examples, held, p.t.Batch, p.t.PerEpoch)
	if n := len(p.t.Names); n > 0 {
		text += "; classes: " + strings.Join(p.t.Names[:min(n, 20)], ", ")
		if n > 20 {
			text += fmt.Sprintf(" and %d more", n-20)
		}
	}
	return "<p><small>" + html.EscapeString(text) + "</small></p>\n"
}
