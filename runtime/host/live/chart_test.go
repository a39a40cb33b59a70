package live

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/golden"
)

func curve(list ...float64) *Curve {
	c := &Curve{}
	for i, y := range list {
		c.Add(float64(i+1), y)
	}
	return c
}

// TestText shows the HTML of the elements of parts.
func TestText(t *testing.T) {
	golden.Run(t, "testdata/text.txtar", func(t *testing.T, a *golden.Archive) {
		a.Check("out/cards", Cards(Card{"running", "<state>"}, Card{"7", "round"}))
		a.Check("out/alert", Alert("%d peers are missing", 3))
		a.Check("out/table", Table("peers", "Peers & others", "<th>peer", "<tr><td>a\n"))
		a.Check("out/chart", Chart("loss", "Loss", "step", Series{"train", curve(4, 2, math.NaN(), 1)}, Series{"none", &Curve{}}, Series{"val", curve(3)}))
		a.Check("out/log", Chart("loss", "Loss", "step", Series{"train", curve(1000, 10, 1)}))
		a.Check("out/constant", Chart("rate", "Rate", "step", Series{"lr", curve(0.5, 0.5)}))
		a.Check("out/bars", Bars("fc.weight", []float64{1, 0, 4}, -1, 1))
		e := &Events{}
		e.Add(time.Unix(0, 0).UTC(), false, "client-0 is up")
		e.Add(time.Unix(1, 5e6).UTC(), true, "client-0 is <down>")
		a.Check("out/events", e.HTML())
	})
	if got := Chart("x", "x", "x", Series{"none", nil}); got != "" {
		t.Errorf("a chart of nothing is %q", got)
	}
}

// TestCurve checks that a curve remains small, includes the last number, and keeps its mean.
func TestCurve(t *testing.T) {
	c := &Curve{}
	const n = 100_000
	for i := range n {
		c.Add(float64(i), float64(i))
		c.Add(float64(i), math.Inf(1))
		if len(c.Y) > curvePoints || len(c.X) != len(c.Y) {
			t.Fatalf("after %d numbers there are %d points", i+1, len(c.Y))
		}
	}
	if len(c.Y) < curvePoints/2 || c.Last() != n-1 || c.X[len(c.X)-1] != n-1 {
		t.Errorf("%d points up to %v, the last number is %v", len(c.Y), c.X[len(c.X)-1], c.Last())
	}
	for i := range c.Y[:len(c.Y)-1] { // a point is the mean of the numbers since the previous one
		first := 0.0
		if i > 0 {
			first = c.X[i-1] + 1
		}
		if want := (first + c.X[i]) / 2; c.Y[i] != want {
			t.Fatalf("point %d is %v, want %v, the mean of %v to %v", i, c.Y[i], want, first, c.X[i])
		}
	}
}

// TestEvents keeps the latest events, in their order.
func TestEvents(t *testing.T) {
	e := &Events{}
	for i := range maxEvents + 3 {
		e.Add(time.Unix(int64(i), 0).UTC(), false, "")
	}
	rows := strings.Split(e.HTML(), "<tr>")[2:]
	if len(rows) != maxEvents || !strings.Contains(rows[0], "00:01:42.000") || !strings.Contains(rows[maxEvents-1], "00:00:03.000") {
		t.Errorf("%d events from %q to %q", len(rows), rows[0], rows[len(rows)-1])
	}
}
