package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/internal/mailbox"
	"github.com/bbgen/bbgen/runtime/host/live"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// newPagesHost returns a host whose loop only runs notes.
func newPagesHost(t *testing.T) *host {
	t.Helper()
	p, _ := emptyPartition(runtime.Env{})
	other := runtime.PeerConfig{ID: testID(2), Class: "cl\"ient", Rank: 4}
	n, err := runtime.New(runtime.Config{Self: testID(1), Incarnation: 1, Peers: []runtime.PeerConfig{other}}, p)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{program: Program{Name: "<program>", Class: "x"}, options: &Options{}, node: n, Shared: connection.Shared{Mail: mailbox.New()}, links: map[wire.PeerID]*link{},
		log: slog.New(slog.DiscardHandler), transport: nowhere{}}
	h.config.Self = testID(1)
	h.Ctx, h.cancel = context.WithCancel(t.Context())
	l := h.linkOf(other)
	l.err = errors.New("<lost>")
	l.Received.Add(5 << 20)
	jobs := &runtime.Counter{Name: "jobs"}
	jobs.Add((*runtime.Engine)(n), 41)
	sizes := &runtime.Ring{Name: "sizes"}
	sizes.Record((*runtime.Engine)(n), 2)
	sizes.Record((*runtime.Engine)(n), 4)
	h.stores = []runtime.Store{jobs, sizes, &runtime.Hold{Name: "best"}}
	for round, loss := range []float32{0.5, 0.25} {
		h.emitted(runtime.Event{Kind: runtime.Emitted, Name: "loss", Exec: wire.ExecID{Number: uint64(round)}, Value: tensor.Of([]float32{loss}, 1)})
	}
	h.emitted(runtime.Event{Kind: runtime.Emitted, Name: "model", Value: tensor.Of([]float32{1, 2}, 2)})
	n.Telemetry().RTT.Add(3e6)
	n.Telemetry().RTT.Add(50e6)
	n.Telemetry().Fill.Add(4096)
	go func() {
		for {
			select {
			case <-h.Mail.Wake():
				h.Mail.Run()
			case <-h.Ctx.Done():
				return
			}
		}
	}()
	return h
}

// connectTo makes a connection to a peer on which nothing arrives.
func connectTo(t *testing.T, h *host, l *link) {
	t.Helper()
	hello := wire.Hello{Protocol: wire.Protocol, Classes: []string{l.Class}, Incarnation: 1}
	if err := h.node.Connected(h.Now(), l.ID, &hello); err != nil {
		t.Fatal(err)
	}
	l.begin(newTestConn(h, deadStream{}, hello, false))
}

type nowhere struct{ Transport }

func (nowhere) Addresses() []wire.Address { return nil }

// textOf returns all parts of a page.
func textOf(p *live.Page) string {
	var b strings.Builder
	for _, x := range p.Parts {
		b.WriteString(x.HTML)
	}
	return b.String()
}

func TestPages(t *testing.T) {
	h := newPagesHost(t)
	get := func(local bool, host, path string) (int, string) {
		q := httptest.NewRequest("GET", "http://"+host+path, nil)
		w := httptest.NewRecorder()
		status.NewHandler(8, local, "", h.askReport).ServeHTTP(w, q)
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
		{true, "localhost:1", "/", 200, "<td class=n>5.0 MiB<td class=n>0 B<td class=n>0 B<td>&lt;lost&gt;"},
		{true, "localhost:1", "/", 200, "<p class=missing>Missing: cl&#34;ient-4</p>"},
		{true, "localhost:1", "/", 200, "<b>0 of 1</b>peers are up"},
		{true, "localhost:1", "/", 200, "<tr><td>loss<td class=n>0.25<td>in round 1\n"},
		{true, "localhost:1", "/", 200, "<tr><td>jobs<td class=n>41<td>counted\n"},
		{true, "localhost:1", "/", 200, "<tr><td>acknowledgement<td class=n>2<td class=n>67.109ms<td class=n>67.109ms\n"},
		{false, "192.0.2.1", "/metrics", 200, "bbgen_ack_seconds_bucket{le=\"0.004194303\"} 1\n"},
		{false, "192.0.2.1", "/metrics", 200, "bbgen_ack_seconds_bucket{le=\"+Inf\"} 2\nbbgen_ack_seconds_sum 0.053\nbbgen_ack_seconds_count 2\n"},
		{false, "192.0.2.1", "/metrics", 200, "bbgen_fill_bytes_bucket{le=\"16383\"} 1\n"},
		{false, "192.0.2.1", "/metrics", 200, "bbgen_emitted{name=\"loss\"} 0.25\n"},
		{false, "192.0.2.1", "/metrics", 200, "bbgen_program_count{name=\"jobs\"} 41\n"},
		{false, "192.0.2.1", "/metrics", 200, "bbgen_program_record{name=\"sizes\"} 3\n"},
		{false, "192.0.2.1", "/metrics", 200, "bbgen_peer_received_bytes_total{peer=\"cl\\\"ient-4\"} 5242880\n"},
		{false, "192.0.2.1", "/healthz", 200, "ok\n"},
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
	was := h.links[testID(2)].err
	h.links[testID(2)].err = errors.New("all dials failed\n  * <lost>")
	if got := h.status().Apart; len(got) != 1 || got[0] != `cl"ient-4: all dials failed * <lost>` {
		t.Errorf("before the program begins it says %q, want why the other peer cannot be reached, on a line", got)
	}
	h.links[testID(2)].err = was
	_, body := get(true, "localhost", "/status")
	var r status.Report
	if err := json.Unmarshal([]byte(body), &r); err != nil || r.Name != "x-0" || len(r.Peers) != 1 || r.Peers[0].ID != testID(2) || r.Peers[0].Up {
		t.Errorf("%s: %v", body, err)
	}
}

// Values for which an execution has waited for long are shown: on the page, in the status, and when the peer
// gives the execution up.
func TestWaits(t *testing.T) {
	h := newPagesHost(t)
	p, _ := emptyPartition(runtime.Env{})
	m := &p.Modules[0]
	m.Start, m.Cuts, m.Blocks = true, []runtime.Cut{{Kind: runtime.FillCut, Name: "word"}}, []runtime.Block{{Name: "hear", Wait: 1}}
	p.Edges = []runtime.Edge{{ID: 1, Trigger: true, Receives: true}}
	n, err := runtime.New(runtime.Config{Self: testID(1), Incarnation: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	for ok := true; ok; {
		_, ok = n.Poll(0)
	}
	h.node, h.Began = n, time.Now().Add(-2*time.Second)
	if s := h.status(); s.Waits != nil {
		t.Errorf("it is told after two seconds: %q", s.Waits)
	}
	h.Began = h.Began.Add(-time.Minute)
	const want = "fill word of x, execution 1 of x-0, for 1m2"
	if s := h.status(); len(s.Waits) != 1 || !strings.HasPrefix(s.Waits[0], want) {
		t.Errorf("got %q, want %s", s.Waits, want)
	}
	if page := textOf(h.report().Page()); !strings.Contains(page, "<p class=missing>Waits for "+want) {
		t.Errorf("the page does not tell: %s", page)
	}
	h.running, h.started = true, true
	if s := h.status(); !s.Idle || s.State != "running" {
		t.Errorf("it is %s, idle: %v, and nothing happens there", s.State, s.Idle)
	}
	var text bytes.Buffer
	h.log = slog.New(slog.NewTextHandler(&text, nil))
	h.progress.tellBlocked(h)
	h.progress.tellBlocked(h)
	if strings.Count(text.String(), "nothing else happens here") != 1 || !strings.Contains(text.String(), want) {
		t.Errorf("the log says %q, want once what is awaited", &text)
	}
	h.outOfTime()
	if !errors.Is(h.err, errGrace) || !strings.Contains(h.err.Error(), "they wait for "+want) {
		t.Errorf("it ends with %v", h.err)
	}
}

// A peer that is missing in very many rounds does not fill the disk, nor hide that another one is missing.
func TestMissingForLong(t *testing.T) {
	var out bytes.Buffer
	h := newPagesHost(t)
	h.logLimits, h.events = logLimits{}, output.NewEvents(&out, nil, h.log)
	for round := range uint64(1000) {
		h.write(runtime.Event{Kind: runtime.Missing, Module: "x", Name: "u", Peer: testID(2), Exec: wire.ExecID{Number: round}})
	}
	h.events.Flush(time.Minute)
	if n := bytes.Count(out.Bytes(), []byte("\n")); n < logBurst || n > logBurst+100 {
		t.Errorf("%d lines say so, want about %d", n, logBurst)
	}
	out.Reset()
	h.write(runtime.Event{Kind: runtime.Missing, Module: "x", Name: "u", Peer: testID(3)})
	h.events.Flush(time.Minute)
	if !strings.Contains(out.String(), testID(3).String()) {
		t.Errorf("of another one it says %q", &out)
	}
}

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
