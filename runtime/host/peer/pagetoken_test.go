package peer

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
)

// At other addresses than loopback the page requires the token, which a state directory keeps; probes and
// Prometheus need none.
func TestPageToken(t *testing.T) {
	h := newPagesHost(t)
	h.options.HTTP, h.budget.pages, h.disk = "0.0.0.0:0", 8, disk.OS
	var err error
	if h.state, err = state.Open(h.disk, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	defer h.state.Close()
	tokens := []string{}
	for range 2 { // starts
		if err := h.openPages(nil); err != nil {
			t.Fatal(err)
		}
		h.pages.Close()
		tokens = append(tokens, h.pageToken)
	}
	token := tokens[0]
	if len(token) < 20 || tokens[1] != token {
		t.Errorf("tokens of two starts: %q", tokens)
	}
	if url := h.pagesURL(); !strings.HasPrefix(url, "http://") || !strings.HasSuffix(url, "/?token="+token) {
		t.Errorf("a browser is to open %s", url)
	}
	for path, want := range map[string]int{
		"/": 401, "/status": 401, "/events": 401, "/?token=wrong": 401, "/status?token=" + token[1:]: 401, "/debug/pprof/cmdline?token=" + token: 404,
		"/?token=" + token: 200, "/status?token=" + token: 200, "/metrics": 200, "/healthz": 200,
	} {
		w := httptest.NewRecorder()
		status.NewHandler(8, false, token, h.askReport).ServeHTTP(w, httptest.NewRequest("GET", "http://192.0.2.1"+path, nil))
		if w.Code != want {
			t.Errorf("%s: got %d, want %d", path, w.Code, want)
		}
		if want == 200 && path != "/metrics" && path != "/healthz" && strings.Contains(w.Body.String(), "href=status") && !strings.Contains(w.Body.String(), "status?token="+token) {
			t.Errorf("%s has links that lead nowhere", path)
		}
	}
	w := httptest.NewRecorder()
	q := httptest.NewRequest("GET", "http://192.0.2.1/status", nil)
	q.Header.Set("Authorization", "Bearer "+token)
	status.NewHandler(8, false, token, h.askReport).ServeHTTP(w, q)
	if w.Code != http.StatusOK {
		t.Errorf("a bearer's token: %d", w.Code)
	}
	h.options.HTTP = "0"
	if err := h.openPages(nil); err != nil || h.pageToken != "" {
		t.Errorf("on loopback the token is %q, %v", h.pageToken, err)
	}
	h.pages.Close()
}
