package view

import (
	"bytes"
	"net/http"
	"time"

	"github.com/bbgen/bbgen/runtime/host/httpguard"
)

// Handler serves a page made by [Page.HTML]. It accepts only requests with a loopback name as the host.
func Handler(page []byte) http.Handler {
	return httpguard.Names(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the page can only be read", http.StatusMethodNotAllowed)
			return
		}
		if r.URL.Path != "/" {
			http.Error(w, "nothing is here but /", http.StatusNotFound)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", policy()+"; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(page))
	}))
}
