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

// NewHandler serves the page and its data: metrics, status and, to requests that use this machine's own name,
// pprof. At most a fourth of the connections may have a page that is kept up to date. It calls ask for a report
// for each answer; a nil report is that of a peer that has stopped. If there is a token, the page and the
// status require it.
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
		m.Handle("/debug/pprof/", httpguard.SameOrigin(profiles()))
		return httpguard.Names(m)
	}
	return m
}

// profiles serves pprof, whose profiles take time of the processor.
func profiles() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("/debug/pprof/", pprof.Index)
	m.HandleFunc("/debug/pprof/profile", pprof.Profile)
	m.HandleFunc("/debug/pprof/trace", pprof.Trace)
	m.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	m.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	return m
}

// guarded requires the token for the pages, if there is one.
func guarded(pages http.Handler, token string) http.Handler {
	if token == "" {
		return pages
	}
	return httpguard.Token(pages, token)
}
