package peer

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/bbgen/bbgen/runtime"
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
	if !h.log.Enabled(h.ctx, level) {
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
	add("err", e.Err, e.Err != nil)
	add("left out", dropped, dropped > 0)
	h.log.Log(h.ctx, level, e.Kind.String(), attrs...)
}
