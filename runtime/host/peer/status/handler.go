package status

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/pprof"

	"github.com/bbgen/bbgen/runtime/host/httpguard"
	"github.com/bbgen/bbgen/runtime/host/live"
)

// NewHandler serves the page, and as files what it tells: metrics, status and, to who asks
// for this machine by its own name, pprof. At most so many connections have a page that is
// kept up to date, a fourth of all. It asks for a report for each answer; nil is that of a
// peer that has stopped.
func NewHandler(connections int, local bool, ask func(context.Context) *Report) http.Handler {
	m := http.NewServeMux()
	page := func(path, kind string, write func(io.Writer, *Report)) {
		m.HandleFunc("GET "+path, func(w http.ResponseWriter, q *http.Request) {
			r := ask(q.Context())
			if r == nil {
				http.Error(w, "the peer has stopped", http.StatusServiceUnavailable)
				return
			}
			w.Header().Set("Content-Type", kind)
			write(w, r)
		})
	}
	live.Handle(m, max(connections/4, 1), func(ctx context.Context) (*live.Page, string) {
		if r := ask(ctx); r != nil {
			return r.Page(), ""
		}
		return nil, ""
	})
	page("/metrics", "text/plain; version=0.0.4", writeMetrics)
	page("/healthz", "text/plain; charset=utf-8", func(w io.Writer, _ *Report) { io.WriteString(w, "ok\n") })
	page("/status", "application/json", func(w io.Writer, r *Report) { json.NewEncoder(w).Encode(r) })
	if local {
		m.HandleFunc("/debug/pprof/", pprof.Index)
		m.HandleFunc("/debug/pprof/profile", pprof.Profile)
		m.HandleFunc("/debug/pprof/trace", pprof.Trace)
		m.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		m.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		return httpguard.Names(m)
	}
	return m
}
