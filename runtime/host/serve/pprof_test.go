package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"
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
