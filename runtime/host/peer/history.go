package peer

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/live"
)

// history is what the page shows of what has been. It is kept if there are pages; a nil
// one keeps nothing. It belongs to the loop.
type history struct {
	numbers  map[string]*live.Curve // what the program has given to its host, over its rounds
	in, out  live.Curve             // KiB a second, over seconds
	events   live.Events
	measured time.Time // when the bytes were counted last
}

// number notes a number that the program has given in a round.
func (y *history) number(name string, round uint64, x float64) {
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
	if n := len(c.X); n == 0 || float64(round) >= c.X[n-1] { // others' rounds may come later
		c.Add(float64(round), x)
	}
}

// traffic counts the bytes of each link, and notes how many there were in a second.
func (y *history) traffic(h *host, now time.Time) {
	if y == nil {
		return
	}
	seconds := now.Sub(y.measured).Seconds()
	first := y.measured.IsZero()
	y.measured = now
	var in, out float64
	for _, l := range h.links {
		received, sent := l.received.Load(), l.sent.Load()
		if !first && seconds > 0 {
			l.inRate, l.outRate = float64(received-l.receivedBefore)/seconds, float64(sent-l.sentBefore)/seconds
		}
		l.receivedBefore, l.sentBefore = received, sent
		in, out = in+l.inRate, out+l.outRate
	}
	if !first {
		at := now.Sub(h.began).Seconds()
		y.in.Add(at, in/1024)
		y.out.Add(at, out/1024)
	}
}

// event notes an event, if people should know.
func (y *history) event(h *host, e runtime.Event, dropped uint64) {
	level := h.levelOf(e)
	if y == nil || level < slog.LevelInfo {
		return
	}
	y.events.Add(time.Now(), level > slog.LevelInfo, h.eventText(e, dropped))
}

// eventText says what has happened.
func (h *host) eventText(e runtime.Event, dropped uint64) string {
	text := e.Kind.String()
	if !e.Peer.IsZero() {
		text += ": " + h.nameOf(e.Peer)
	}
	if name := strings.Trim(e.Module+"."+e.Name, "."); name != "" {
		text += ", " + name
	}
	if !e.Exec.IsZero() {
		text += fmt.Sprintf(", execution %d of %s", e.Exec.Number, h.nameOf(e.Exec.Origin))
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if dropped > 0 {
		text += fmt.Sprintf(" (%d like it were left out)", dropped)
	}
	return text
}

// clone is what the page is made of, while the loop goes on.
func (y *history) clone() *history {
	if y == nil {
		return &history{}
	}
	c := &history{numbers: map[string]*live.Curve{}, in: *y.in.Clone(), out: *y.out.Clone(), events: y.events.Clone()}
	for name, curve := range y.numbers {
		c.numbers[name] = curve.Clone()
	}
	return c
}

// maxCharts is how many of the program's numbers have a chart.
const maxCharts = 12

// charts are the curves.
func (y *history) charts() string {
	var b strings.Builder
	names := slices.Sorted(maps.Keys(y.numbers))
	for _, name := range names[:min(len(names), maxCharts)] {
		b.WriteString(live.Chart("chart-number-"+name, name, "round", live.Series{Name: name, Curve: y.numbers[name]}) + "\n")
	}
	b.WriteString(live.Chart("chart-traffic", "KiB a second", "seconds", live.Series{Name: "received", Curve: &y.in}, live.Series{Name: "sent", Curve: &y.out}))
	return "<div class=charts>\n" + b.String() + "\n</div>\n"
}
