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
// peer that has stopped. The page and status are for who has the token, if there is one.
func NewHandler(connections int, local bool, token string, ask func(context.Context) *Report) http.Handler {
	m, shown := http.NewServeMux(), http.NewServeMux()
	page := func(m *http.ServeMux, path, kind string, write func(io.Writer, *Report)) {
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
	live.Handle(shown, max(connections/4, 1), func(ctx context.Context) (*live.Page, string) {
		if r := ask(ctx); r != nil {
			return r.Page(), ""
		}
		return nil, ""
	})
	page(shown, "/status", "application/json", func(w io.Writer, r *Report) { json.NewEncoder(w).Encode(r) })
	m.Handle("/", guarded(shown, token))
	page(m, "/metrics", "text/plain; version=0.0.4", writeMetrics)
	page(m, "/healthz", "text/plain; charset=utf-8", func(w io.Writer, _ *Report) { io.WriteString(w, "ok\n") })
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

// guarded has pages answer who has the token, if there is one.
func guarded(pages http.Handler, token string) http.Handler {
	if token == "" {
		return pages
	}
	return httpguard.Token(pages, token)
}
