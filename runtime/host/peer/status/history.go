package status

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/host/live"
)

// History is the past data that the page shows. It is recorded if there are pages; a nil History records
// nothing. It is used by one goroutine.
type History struct {
	numbers map[string]*live.Curve // the numbers that the program has given to its host, over its rounds
	in, out live.Curve             // KiB per second, over seconds
	events  live.Events
}

// Number records a number that the program has given in a round.
func (y *History) Number(name string, round uint64, x float64) {
	if y == nil {
		return
	}
	if y.numbers == nil {
		y.numbers = map[string]*live.Curve{}
	}
	c := y.numbers[name]
	if c == nil {
		c = &live.Curve{}
		y.numbers[name] = c
	}
	if n := len(c.X); n == 0 || float64(round) >= c.X[n-1] { // rounds of other peers may come late
		c.Add(float64(round), x)
	}
}

// Traffic records how many bytes were received and sent in a second; at is its time in seconds.
func (y *History) Traffic(at, in, out float64) {
	if y != nil {
		y.in.Add(at, in/1024)
		y.out.Add(at, out/1024)
	}
}

// Event records an event, and whether it is a problem.
func (y *History) Event(now time.Time, bad bool, text string) {
	if y != nil {
		y.events.Add(now, bad, text)
	}
}

// Clone returns a copy for the page, while the loop continues.
func (y *History) Clone() *History {
	if y == nil {
		return &History{}
	}
	c := &History{numbers: map[string]*live.Curve{}, in: *y.in.Clone(), out: *y.out.Clone(), events: y.events.Clone()}
	for name, curve := range y.numbers {
		c.numbers[name] = curve.Clone()
	}
	return c
}

// maxCharts is how many of the program's numbers have a chart.
const maxCharts = 12

// charts returns the curves.
func (y *History) charts() string {
	var b strings.Builder
	names := slices.Sorted(maps.Keys(y.numbers))
	for _, name := range names[:min(len(names), maxCharts)] {
		b.WriteString(live.Chart("chart-number-"+name, name, "round", live.Series{Name: name, Curve: y.numbers[name]}) + "\n")
	}
	b.WriteString(live.Chart("chart-traffic", "KiB a second", "seconds", live.Series{Name: "received", Curve: &y.in}, live.Series{Name: "sent", Curve: &y.out}))
	return "<div class=charts>\n" + b.String() + "\n</div>\n"
}
