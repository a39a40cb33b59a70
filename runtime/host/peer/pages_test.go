package peer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// newPagesHost is a host whose loop does notes alone.
func newPagesHost(t *testing.T) *host {
	t.Helper()
	p, _ := emptyPartition(runtime.Env{})
	other := runtime.PeerConfig{ID: testID(2), Class: "cl\"ient", Rank: 4}
	n, err := runtime.New(runtime.Config{Self: testID(1), Incarnation: 1, Peers: []runtime.PeerConfig{other}}, p)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{program: Program{Name: "<program>", Class: "x"}, options: &Options{}, node: n, mail: newMailbox(), links: map[wire.PeerID]*link{},
		log: slog.New(slog.DiscardHandler), transport: nowhere{}}
	h.config.Self = testID(1)
	h.ctx, h.cancel = context.WithCancel(t.Context())
	l := h.linkOf(other)
	l.err = errors.New("<lost>")
	l.received.Add(5 << 20)
	go func() {
		for {
			select {
			case <-h.mail.wake:
				h.mail.run()
			case <-h.ctx.Done():
				return
			}
		}
	}()
	return h
}

type nowhere struct{ Transport }

func (nowhere) Addresses() []wire.Address { return nil }

func TestPages(t *testing.T) {
	h := newPagesHost(t)
	get := func(local bool, host, path string) (int, string) {
		q := httptest.NewRequest("GET", "http://"+host+path, nil)
		w := httptest.NewRecorder()
		h.mux(local).ServeHTTP(w, q)
		b, _ := io.ReadAll(w.Body)
		return w.Code, string(b)
	}
	for _, tt := range []struct {
		local      bool
		host, path string
		code       int
		want       string
	}{
		{true, "localhost:1", "/", 200, "&lt;program&gt;"},
		{true, "localhost:1", "/", 200, "<td>5.0 MiB<td>0.0 KiB<td>&lt;lost&gt;"},
		{false, "192.0.2.1", "/metrics", 200, "bbgen_peer_received_bytes_total{peer=\"cl\\\"ient-4\"} 5242880\n"},
		{true, "127.0.0.1", "/debug/pprof/cmdline", 200, ""},
		{true, "[::1]:80", "/debug/pprof/cmdline", 200, ""},
		{true, "evil.example", "/debug/pprof/cmdline", 403, ""},
		{false, "localhost", "/debug/pprof/cmdline", 404, ""},
		{true, "localhost", "/nowhere", 404, ""},
	} {
		if code, body := get(tt.local, tt.host, tt.path); code != tt.code || !strings.Contains(body, tt.want) {
			t.Errorf("%s%s: got %d, want %d with %s: %s", tt.host, tt.path, code, tt.code, tt.want, body)
		}
	}
	_, body := get(true, "localhost", "/status")
	var r report
	if err := json.Unmarshal([]byte(body), &r); err != nil || r.Name != "x-0" || len(r.Peers) != 1 || r.Peers[0].ID != testID(2) || r.Peers[0].Up {
		t.Errorf("%s: %v", body, err)
	}
}

// Every line of the metrics is one that Prometheus reads.
func TestMetricsText(t *testing.T) {
	h := newPagesHost(t)
	var b strings.Builder
	writeMetrics(&b, h.report())
	kind := map[string]bool{}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ := strings.Cut(rest, " ")
			if kind[name] {
				t.Errorf("%s is there twice", name)
			}
			kind[name] = true
			continue
		}
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		name, _, _ := strings.Cut(line, " ")
		name, _, _ = strings.Cut(name, "{")
		if !kind[name] {
			t.Errorf("%s comes before its type", line)
		}
		var v float64
		if err := json.Unmarshal([]byte(line[strings.LastIndexByte(line, ' ')+1:]), &v); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
