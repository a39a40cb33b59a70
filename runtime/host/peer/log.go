package peer

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/wire"
)

func newLog(w io.Writer, format, level string) (*slog.Logger, error) {
	o := &slog.HandlerOptions{}
	if level != "" {
		var l slog.Level
		if err := l.UnmarshalText([]byte(level)); err != nil {
			return nil, fmt.Errorf("-log-level: %w", err)
		}
		o.Level = l
	}
	switch format {
	case "", "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	case "none":
		return slog.New(slog.DiscardHandler), nil
	}
	return nil, fmt.Errorf("-log %s: want text, json or none", format)
}

// levels maps the events of a node to log levels.
var levels = map[runtime.EventKind]slog.Level{
	runtime.Emitted: slog.LevelDebug, runtime.Finished: slog.LevelDebug, runtime.Published: slog.LevelDebug, runtime.Late: slog.LevelDebug,
	runtime.Phase: slog.LevelInfo, runtime.PeerUp: slog.LevelInfo,
	runtime.PeerDown: slog.LevelWarn, runtime.PeerSuspect: slog.LevelWarn, runtime.Missing: slog.LevelWarn, runtime.Refused: slog.LevelWarn,
	runtime.Overflow: slog.LevelWarn, runtime.Short: slog.LevelWarn, runtime.Failed: slog.LevelError,
}

// levelOf returns the log level of an event.
func (h *host) levelOf(e runtime.Event) slog.Level {
	if l := h.links[e.Peer]; e.Kind == runtime.PeerDown && l != nil && l.since.IsZero() && !errors.Is(e.Err, ErrRefused) {
		return slog.LevelInfo // it has never been connected: peers start one after the other
	}
	return levels[e.Kind]
}

func (h *host) logEvent(e runtime.Event, dropped uint64) {
	level := h.levelOf(e)
	if !h.log.Enabled(h.Ctx, level) {
		return
	}
	var attrs []any
	add := func(key string, v any, is bool) {
		if is {
			attrs = append(attrs, key, v)
		}
	}
	add("module", e.Module, e.Module != "")
	add("name", e.Name, e.Name != "")
	add("from", h.nameOf(e.Peer), !e.Peer.IsZero())
	add("execution", e.Exec.Number, !e.Exec.IsZero())
	if e.Err != nil {
		add("err", follow.Text(e.Err, h.nameOf), true)
	}
	add("left out", dropped, dropped > 0)
	h.log.Log(h.Ctx, level, e.Kind.String(), attrs...)
}

// refused records that a peer was refused.
func (h *host) refused(id wire.PeerID, err error) {
	c := complaint{kind: "refused"}
	if h.links[id] != nil {
		c.peer = id
	}
	dropped, ok := h.logLimits.pass(c, time.Now())
	if !ok {
		return
	}
	h.log.Warn("peer refused", "peer", id, "err", err, "left out", dropped)
	h.line(status.Line{Kind: "refused", From: h.nameOf(id), Error: err.Error(), Dropped: dropped}, nil)
}

// logLimits are rate limits of the log, so that no peer can fill it with events that it can cause at will. The
// next line that is written reports how many were dropped.
type logLimits map[complaint]*logLimit

// complaint identifies a kind of event of a peer.
type complaint struct {
	kind string
	peer wire.PeerID // zero: any peer that is not a member, or none
}

// logLimit is the rate limit of one kind of line, and the number of dropped lines.
type logLimit struct {
	conversation.Bucket
	dropped uint64
}

// How many lines of one kind are written at once, and per second.
const (
	logBurst = 100
	logRate  = 10
)

// brought reports whether peers can cause events of a kind by sending, or by not sending: a peer that never
// comes back is missing in each round.
func brought(k runtime.EventKind) bool {
	return k == runtime.Refused || k == runtime.Late || k == runtime.Overflow || k == runtime.Missing
}

// pass reports whether another line may be written, and how many were dropped since the last one.
func (l logLimits) pass(c complaint, now time.Time) (dropped uint64, ok bool) {
	t := l[c]
	if t == nil {
		t = &logLimit{}
		l[c] = t
	}
	if !t.Take(now, logBurst, logRate) {
		t.dropped++
		return 0, false
	}
	dropped, t.dropped = t.dropped, 0
	return dropped, true
}
