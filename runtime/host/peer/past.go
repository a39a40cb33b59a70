package peer

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
)

// countTraffic counts the bytes of each link, and computes their rates.
func (h *host) countTraffic(now time.Time) {
	if h.history == nil {
		return
	}
	seconds := now.Sub(h.measured).Seconds()
	first := h.measured.IsZero()
	h.measured = now
	var in, out float64
	for _, l := range h.links {
		received, sent := l.Received.Load(), l.Sent.Load()
		if !first && seconds > 0 {
			l.inRate, l.outRate = float64(received-l.receivedBefore)/seconds, float64(sent-l.sentBefore)/seconds
		}
		l.receivedBefore, l.sentBefore = received, sent
		in, out = in+l.inRate, out+l.outRate
	}
	if !first {
		h.history.Traffic(now.Sub(h.Began).Seconds(), in, out)
	}
}

// emitted records a number that the program has given to its host.
func (h *host) emitted(e runtime.Event) {
	if x, ok := h.told.Tell(e); ok {
		h.history.Number(e.Name, e.Exec.Number, x)
	}
}

// past records an event for the page, if it is of interest to users.
func (h *host) past(e runtime.Event, dropped uint64) {
	level := h.levelOf(e)
	if h.history != nil && level >= slog.LevelInfo {
		h.history.Event(time.Now(), level > slog.LevelInfo, h.eventText(e, dropped))
	}
}

// eventText describes an event.
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
