package peer

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/browsertest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// newWatchedHost returns a host that keeps a history.
func newWatchedHost(t *testing.T) *host {
	h := newPagesHost(t)
	h.Began, h.history, h.logLimits = time.Now(), &status.History{}, logLimits{}
	return h
}

// TestHistory checks that the page shows the numbers of the program over its rounds, and the bytes of each link
// per second.
func TestHistory(t *testing.T) {
	h := newWatchedHost(t)
	l := h.links[testID(2)]
	now := h.Began
	for i := range 3 {
		l.Received.Add(int64(i) * 2048)
		l.Sent.Add(512)
		now = now.Add(2 * time.Second)
		h.countTraffic(now)
	}
	give := func(round uint64, x float32) {
		h.emitted(runtime.Event{Kind: runtime.Emitted, Name: "accuracy", Exec: wire.ExecID{Number: round}, Value: tensor.Of([]float32{x}, 1)})
	}
	for round, x := range []float32{0.5, 0.625, 0.75} {
		give(uint64(round+1), x)
	}
	give(1, 0.25) // of another peer's execution
	got := textOf(h.report().Page())
	for _, want := range []string{
		`id="chart-number-accuracy" tabindex=0 role=group aria-label="accuracy: accuracy 0.75" data-x="round" data-range="1 3 0.5 0.75"`,
		`aria-label="KiB a second: received 2, sent 0.25" data-x="seconds" data-range="4 6 0.25 2"`,
		"<td class=n>2.0 KiB/s<td class=n>256 B/s<td class=n>5.0 MiB<td class=n>1.5 KiB<td class=n>0 B<td>&lt;lost&gt;",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %s:\n%s", want, got)
		}
	}
}

// TestHistoryEvents checks that the page shows important events, and marks problems.
func TestHistoryEvents(t *testing.T) {
	h := newWatchedHost(t)
	h.write(runtime.Event{Kind: runtime.PeerUp, Peer: testID(2)})
	h.write(runtime.Event{Kind: runtime.Finished, Module: "x"})
	h.links[testID(2)].since = time.Now()
	h.write(runtime.Event{Kind: runtime.PeerDown, Peer: testID(2), Err: errors.New("it was killed")})
	h.write(runtime.Event{Kind: runtime.Missing, Module: "x", Name: "update", Peer: testID(2), Exec: wire.ExecID{Origin: testID(1), Number: 7}})
	got := ""
	for _, part := range h.report().Page().Parts {
		if part.ID == "events" {
			got = part.HTML
		}
	}
	for _, want := range []string{
		"<td>peer up: cl&#34;ient-4\n", "<td class=missing>peer down: cl&#34;ient-4: it was killed\n", "<td class=missing>missing: cl&#34;ient-4, x.update, execution 7 of x-0\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the events have no %s:\n%s", want, got)
		}
	}
	if strings.Count(got, "<tr><td") != 3 {
		t.Errorf("the events are %s, want three", got)
	}
}

// TestNoHistory checks that no history is kept without pages.
func TestNoHistory(t *testing.T) {
	h := newPagesHost(t)
	h.countTraffic(time.Now())
	h.write(runtime.Event{Kind: runtime.PeerUp, Peer: testID(2)})
	if h.history != nil || h.links[testID(2)].receivedBefore != 0 {
		t.Error("something is kept for a page that there is not")
	}
}

// TestTroubles shows why a peer is missing, and in what way one is slow.
func TestTroubles(t *testing.T) {
	h := newWatchedHost(t)
	h.Began = time.Now().Add(-time.Hour)
	l := h.links[testID(2)]
	for _, tt := range []struct {
		set  func()
		want string
	}{
		{func() {}, "<lost>"},
		{func() { l.err = nil }, "it has not been here yet"},
		{func() { l.since = time.Now() }, "it is gone"},
		{func() { connectTo(t, h, l); h.Began = h.Began.Add(-90 * time.Second) }, "silent for 1m30s"},
		{func() { h.Streams.Store(50000) }, ""}, // as pings are rare
		{func() { h.Streams.Store(1); l.begin(newTestConn(h, deadStream{}, l.conn.Hello, false)) }, ""},
		{func() { l.conn = nil; h.node.Disconnected(h.Now(), l.ID, ErrStopped) }, "it is gone"},
	} {
		tt.set()
		if got := h.troubles()[l.ID]; got != tt.want {
			t.Errorf("it is %q, want %q", got, tt.want)
		}
	}
}

// TestPageInBrowser checks in a browser that the page shows the death of a peer.
func TestPageInBrowser(t *testing.T) {
	h := newWatchedHost(t)
	h.options.HTTP, h.budget.pages = "0", 8
	if err := h.openPages(nil); err != nil {
		t.Fatal(err)
	}
	defer h.pages.Close()
	change := func(e runtime.Event, up bool) {
		h.Ask(func() {
			if l := h.links[testID(2)]; up {
				connectTo(t, h, l)
			} else {
				h.node.Disconnected(h.Now(), l.ID, ErrStopped)
			}
			h.write(e)
		})
	}
	h.links[testID(2)].since = time.Now()
	change(runtime.Event{Kind: runtime.PeerUp, Peer: testID(2)}, true)
	url := "http://" + h.pages.Addr + "/"
	b := browsertest.Open(t, url, 360, 640)
	b.Dark()
	b.Until("document.getElementById('state').textContent == 'live' && document.body.innerText.includes('1 of 1')")
	change(runtime.Event{Kind: runtime.PeerDown, Peer: testID(2), Err: errors.New("it was killed")}, false)
	b.Until("document.body.innerText.includes('Missing: cl\"ient-4') && document.body.innerText.includes('it was killed')")
	if n := browsertest.Eval[float64](b, "document.documentElement.scrollWidth"); n > 360 {
		t.Errorf("the page is %v wide, want 360 at most", n)
	}
	b.Looks("narrow")
	b.Quiet(url, url+"events")
	if resp, err := http.Get(url + "metrics"); err != nil || resp.StatusCode != 200 {
		t.Errorf("metrics beside it: %v, %v", resp, err)
	}
}
