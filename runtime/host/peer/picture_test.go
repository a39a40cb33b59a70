package peer

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/bbgen/bbgen/internal/browsertest"
	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// newPictureHost returns a watched host of a server that has begun a round with two clients, of which none has
// answered.
func newPictureHost(t *testing.T) *host {
	t.Helper()
	h := newWatchedHost(t)
	h.part = handmade.Server(3, 2, int64(time.Hour))
	peers := []runtime.PeerConfig{{ID: testID(2), Class: "client"}, {ID: testID(3), Class: "client", Rank: 1}}
	n, err := runtime.New(runtime.Config{Self: testID(1), Incarnation: 1, Peers: peers}, h.part)
	if err != nil {
		t.Fatal(err)
	}
	h.Ask(func() {
		h.node, h.links = n, map[wire.PeerID]*link{}
		for _, p := range peers {
			h.linkOf(p)
		}
		h.pollAll()
		for _, p := range peers {
			hello := wire.Hello{Protocol: wire.Protocol, Fingerprint: h.part.Fingerprint, Classes: []string{"client"}, Incarnation: 1}
			if err := n.Connected(h.Now(), p.ID, &hello); err != nil {
				t.Error(err)
			}
		}
		h.pollAll()
		if _, err := n.Invoke(h.Now(), "server", tensor.Of([]float64{8, -3}, 2)); err != nil {
			t.Error(err)
		}
		h.pollAll()
	})
	return h
}

// pollAll drops the outputs of the node.
func (h *host) pollAll() {
	for {
		if _, ok := h.node.Poll(h.Now()); !ok {
			return
		}
	}
}

// The picture says for whom a module waits, and how much went over each edge.
func TestPicture(t *testing.T) {
	h := newPictureHost(t)
	b, err := json.Marshal(h.askReport(t.Context()).Picture)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"fills":2,"bytes":32`, `"waits":1`, `client-0 and 1 more`, `"live":1`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the picture has no %s:\n%s", want, b)
		}
	}
}

// The status lines of a peer with pages have the picture.
func TestPictureLine(t *testing.T) {
	h := newPictureHost(t)
	var out bytes.Buffer
	h.events = output.NewEvents(&out, nil, h.log)
	h.Ask(func() {
		h.statusLine("status")
		h.pages = &http.Server{Addr: "127.0.0.1:1"}
		h.statusLine("status")
	})
	h.events.End(time.Minute)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || strings.Contains(lines[0], "picture") || !strings.Contains(lines[1], `"waits":1,"waited_ns":`) || !strings.Contains(lines[1], `"module":1`) {
		t.Errorf("the lines are\n%s", &out)
	}
}

// The picture is updated, can be scrolled with the keyboard on a small screen, and is not wider than that.
func TestPictureInBrowser(t *testing.T) {
	h := newPictureHost(t)
	h.options.HTTP, h.budget.pages = "0", 8
	if err := h.openPages(nil); err != nil {
		t.Fatal(err)
	}
	defer h.pages.Close()
	url := "http://" + h.pages.Addr + "/"
	b := browsertest.Open(t, url, 360, 640)
	b.Dark()
	b.Until("document.querySelector('.picture .waits') && document.querySelector('.picture').getAttribute('aria-label').includes('client-0 and 1 more')")
	if n := browsertest.Eval[float64](b, "document.documentElement.scrollWidth"); n > 360 {
		t.Errorf("the page is %v wide, want 360 at most", n)
	}
	browsertest.Eval[bool](b, "(document.adoptedStyleSheets = [new CSSStyleSheet()], document.adoptedStyleSheets[0].replaceSync('p.missing{display:none}'), true)") // a wait is reported after 5 s, which a slow browser needs alone
	browsertest.Eval[bool](b, "(document.querySelector('.picture').scrollIntoViewIfNeeded(), true)")                                                                // in one step: updates replace the node
	b.Looks("picture-narrow")
	browsertest.Eval[bool](b, "(document.getElementById('picture-scroll').focus(), true)")
	for end := time.Now().Add(3 * time.Minute); !browsertest.Eval[bool](b, "document.getElementById('picture-scroll').scrollLeft > 0"); {
		if time.Now().After(end) {
			t.Fatal("the picture does not scroll")
		}
		b.Do(chromedp.KeyEvent(kb.ArrowRight)) // one that comes just before an update has no effect
	}
	h.Ask(func() {
		h.node.Disconnected(h.Now(), testID(2), ErrStopped)
		h.pollAll()
		if _, err := h.node.Invoke(h.Now(), "server", tensor.Of([]float64{8, -3}, 2)); err != nil {
			t.Error(err)
		}
		h.pollAll()
	})
	b.Until("document.querySelector('.picture').textContent.includes('2 under way')")
	b.Quiet(url, url+"events")
}
