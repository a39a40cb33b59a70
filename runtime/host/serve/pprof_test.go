package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
)

// TestPprof checks that the page exists only with -pprof, and only for models that report their nodes.
func TestPprof(t *testing.T) {
	h, err := newHandler(adder(2, nil), options{concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	const page = "/debug/pprof/profile?seconds=0"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", page, nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("without -pprof: status %d, want 404", w.Code)
	}
	if _, err := newHandler(adder(2, nil), options{concurrency: 1, pprof: true}); err == nil {
		t.Error("with -pprof a model is served that cannot tell its nodes")
	}
	w = httptest.NewRecorder()
	profile(w, httptest.NewRequest("GET", page, nil))
	if w.Code != http.StatusBadRequest {
		t.Errorf("a profile of 0 seconds: status %d, want 400", w.Code)
	}
}

// profiled is a session that reports its nodes, of which it has none.
type profiled struct{ model.Session }

func (profiled) Profiled() []model.ProfiledNode { return nil }
func (p profiled) Profile(model.Profiler) error { return p.Run() }

// TestProfileOfOtherPages: a page of another origin cannot start a profile by an image of this server. With 0 seconds, a request that
// reaches the profile is a bad one.
func TestProfileOfOtherPages(t *testing.T) {
	p := adder(2, nil)
	plain := p.New
	p.New = func() (model.Session, error) {
		s, err := plain()
		return profiled{s}, err
	}
	h, err := newHandler(p, options{concurrency: 1, pprof: true})
	if err != nil {
		t.Fatal(err)
	}
	for site, want := range map[string]int{"cross-site": http.StatusForbidden, "same-site": http.StatusForbidden, "none": http.StatusBadRequest, "": http.StatusBadRequest} {
		r := httptest.NewRequest("GET", "/debug/pprof/profile?seconds=0", nil)
		if site != "" {
			r.Header.Set("Sec-Fetch-Site", site)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("from %q: got %d, want %d", site, w.Code, want)
		}
	}
}

// TestProfile: a profile ends when its client goes, and there is one at a time.
func TestProfile(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan *httptest.ResponseRecorder)
	go func() {
		for { // until no other is under way
			w := httptest.NewRecorder()
			profile(w, httptest.NewRequestWithContext(ctx, "GET", "/debug/pprof/profile?seconds=120", nil))
			if w.Code != http.StatusConflict {
				ended <- w
				return
			}
		}
	}()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for { // until the first has begun
		w := httptest.NewRecorder()
		profile(w, httptest.NewRequestWithContext(gone, "GET", "/debug/pprof/profile", nil))
		if w.Code == http.StatusConflict {
			break
		}
		if w.Code != http.StatusOK {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
	}
	leave()
	if w := <-ended; w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), "\x1f\x8b") {
		t.Errorf("got %d and %d bytes, want a compressed profile", w.Code, w.Body.Len())
	}
	for _, seconds := range []string{"0", "-1", "121", "x"} {
		w := httptest.NewRecorder()
		profile(w, httptest.NewRequest("GET", "/debug/pprof/profile?seconds="+seconds, nil))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "want 1 to 120") {
			t.Errorf("%s seconds: got %d %s", seconds, w.Code, w.Body)
		}
	}
}
