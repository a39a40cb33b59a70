package peer

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/otlp/otlptest"
)

// TestTraces: with -otlp each execution is a trace at the collector, of a process with the names of program, class and
// build; spans that no collector takes are counted as dropped, on the page.
func TestTraces(t *testing.T) {
	c := otlptest.New(t)
	p := doubling()
	p.BuildID = "7"
	x, err := Start(t.Context(), p, "-log", "none", "-otlp", c.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Invoke(t.Context(), "double", one("x", 3)); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil { // sends the last spans
		t.Fatal(err)
	}
	spans := c.Spans()
	if len(spans) == 0 {
		t.Fatal("the collector has received no span")
	}
	want := map[string]string{"service.name": "test", "service.instance.id": x.ID().String(), "bbgen.peer": "x-0", "bbgen.class": "x", "service.version": "7"}
	for key, v := range want {
		if got := spans[0].Resource[key]; got != v {
			t.Errorf("%s is %q, want %q", key, got, v)
		}
	}

	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer refuses.Close()
	if x, err = Start(t.Context(), doubling(), "-log", "none", "-otlp", refuses.URL); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Invoke(t.Context(), "double", one("x", 3)); err != nil {
		t.Fatal(err)
	}
	traces := x.h.traces
	x.h.Ask(func() {
		if s := x.h.report().Spans; s == nil {
			t.Error("the page does not count spans")
		}
	})
	x.Close()
	if sent, dropped := traces.Counts(); sent != 0 || dropped == 0 {
		t.Errorf("%d spans are sent and %d dropped, want all dropped", sent, dropped)
	}
}

// TestNoTraces: without a collector nothing is counted, and a URL that is none is a mistake on the command line.
func TestNoTraces(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	x := starts(t)
	x.h.Ask(func() {
		if x.h.spans() != nil {
			t.Error("spans are counted")
		}
	})
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "no url")
	if _, err := Start(t.Context(), doubling(), "-log", "none"); err == nil || !strings.Contains(err.Error(), "no url") {
		t.Errorf("a wrong URL in the environment: %v", err)
	}
}
