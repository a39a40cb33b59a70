package view_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/view"
)

// TestHandler requests the page in allowed and in other ways.
func TestHandler(t *testing.T) {
	h := view.Handler([]byte("the page"))
	for _, tt := range []struct {
		method, host, path string
		code               int
	}{
		{"GET", "localhost:1", "/", 200}, {"GET", "127.0.0.1:1", "/", 200}, {"HEAD", "[::1]:1", "/", 200},
		{"GET", "evil.example", "/", 403}, {"GET", "localhost", "/other", 404}, {"POST", "localhost", "/", 405},
	} {
		r := httptest.NewRequest(tt.method, tt.path, nil)
		r.Host = tt.host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if shown := w.Body.String() == "the page"; w.Code != tt.code || shown != (tt.code == 200 && tt.method == "GET") {
			t.Errorf("%s %s%s: got %d and %q, want %d", tt.method, tt.host, tt.path, w.Code, w.Body, tt.code)
		}
		if policy := w.Header().Get("Content-Security-Policy"); tt.code == 200 && (!strings.HasPrefix(policy, "default-src 'none'; script-src 'sha256-") || strings.Contains(policy, "unsafe")) {
			t.Errorf("the policy is %q, want one that allows the page's own script alone", policy)
		}
	}
}
