package status

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// get returns the answer of a handler.
func get(h http.Handler, path string) (code int, kind, body string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+path, nil))
	return w.Code, w.Header().Get("Content-Type"), w.Body.String()
}

// TestHandler tests each file of a running peer, with and without a token, and of a stopped one.
func TestHandler(t *testing.T) {
	running := func(context.Context) *Report { return sample() }
	stopped := func(context.Context) *Report { return nil }
	open, guarded := NewHandler(8, true, "", running), NewHandler(8, false, "secret", running)
	for _, c := range []struct {
		h    http.Handler
		path string
		code int
		want string // a part of the answer
	}{
		{open, "/status", 200, `"emitted":[{"name":"loss","value":0.25,"round":1}]`},
		{open, "/metrics", 200, "# TYPE"},
		{open, "/metrics", 200, "bbgen_spans_sent_total 12\n"},
		{open, "/metrics", 200, "bbgen_spans_dropped_total 3\n"},
		{open, "/healthz", 200, "ok\n"},
		{open, "/debug/pprof/cmdline", 200, ""},
		{open, "/nothing", 404, ""},
		{guarded, "/status", 401, ""},
		{guarded, "/healthz", 200, "ok\n"},
		{guarded, "/debug/pprof/cmdline", 401, ""},
		{NewHandler(8, false, "", stopped), "/status", 503, "the peer has stopped"},
		{NewHandler(8, false, "", stopped), "/healthz", 503, "the peer has stopped"},
	} {
		code, _, body := get(c.h, c.path)
		if code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s: got %d, %.300s\nwant %d, %s", c.path, code, body, c.code, c.want)
		}
	}
	if _, kind, _ := get(open, "/status"); kind != "application/json" {
		t.Errorf("status is %s", kind)
	}
}

// TestHistory: each number has a curve, to which later rounds are appended; a copy does not change.
func TestHistory(t *testing.T) {
	var none *History
	none.Number("loss", 1, 0.5)
	none.Traffic(1, 2, 3)
	none.Event(time.Time{}, true, "lost")
	if c := none.Clone(); c == nil || c.numbers != nil {
		t.Errorf("of nothing there is %+v", c)
	}
	y := &History{}
	for _, x := range []struct {
		round uint64
		value float64
	}{{1, 0.5}, {3, 0.25}, {2, 9}, {3, 0.125}} {
		y.Number("loss", x.round, x.value)
	}
	y.Traffic(1, 2048, 1024)
	y.Event(time.Unix(0, 0), true, "client-5 is gone")
	copied := y.Clone()
	y.Number("loss", 4, 0)
	y.Number("accuracy", 4, 1)
	if n, was := len(y.numbers["loss"].X), len(copied.numbers["loss"].X); n != was+1 || len(copied.numbers) != 1 {
		t.Errorf("the copy has %d of %d rounds, and %d numbers", was, n, len(copied.numbers))
	}
	if charts := y.charts(); !strings.Contains(charts, "chart-number-loss") || !strings.Contains(charts, "chart-number-accuracy") {
		t.Errorf("the charts are %s", charts)
	}
}

// TestNoNumber: numbers that JSON lacks are omitted.
func TestNoNumber(t *testing.T) {
	for x, want := range map[float64]string{0.5: "0.5", math.Inf(1): "null", math.NaN(): "null"} {
		if b, err := json.Marshal(real(x)); err != nil || string(b) != want {
			t.Errorf("%v: got %s, %v, want %s", x, b, err, want)
		}
	}
}

// TestWithToken checks the address of a page with and without a token.
func TestWithToken(t *testing.T) {
	if a, b := WithToken("http://h/", ""), WithToken("http://h/", "s"); a != "http://h/" || b != "http://h/?token=s" {
		t.Errorf("got %s and %s", a, b)
	}
}
