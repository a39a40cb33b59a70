package live

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/bbgen/bbgen/internal/browsertest"
)

// parts is a page with some of everything.
func parts(loss *Curve, state string) []Part {
	e := &Events{}
	e.Add(time.Unix(0, 0).UTC(), true, "client-0 is down")
	return []Part{
		{"cards", Cards(Card{state, "state"}, Card{"7", "round"})},
		{"charts", "<div class=charts>" + Chart("loss", "Loss", "step", Series{"train", loss}, Series{"validation", curve(4, 2)}) + Chart("rate", "Rate", "step", Series{"lr", curve(1)}) + "</div>"},
		{"weights", "<div class=small>" + Bars("fc.weight", []float64{1, 0, 4}, -1, 1) + "</div>"},
		{"events", e.HTML()},
	}
}

// open opens a page that a test changes.
func open(t *testing.T, wide, high int64) (*browsertest.Tab, *shown, *Server) {
	t.Helper()
	s := &shown{}
	s.set("", parts(curve(4, 3, 2), "running")...)
	server, err := Open("0", s.source)
	if err != nil {
		t.Fatal(err)
	}
	server.farewell = time.Hour
	b := browsertest.Open(t, server.URL, wide, high)
	b.Until("document.getElementById('state').textContent == 'live'")
	return b, s, server
}

// TestBrowser checks that a page follows changes, and keeps the reader's settings.
func TestBrowser(t *testing.T) {
	b, s, server := open(t, 1200, 800)
	b.Until("document.body.innerText.includes('client-0 is down')")
	b.Do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab)) // past the button, to the first chart
	b.Until("document.activeElement.id == 'loss'")
	b.Do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	b.Until("document.querySelector('#loss output').textContent == 'step 2: train 3, validation 2'")
	b.Do(chromedp.KeyEvent(kb.ArrowLeft))
	b.Until("document.querySelector('#loss output').textContent == 'step 1: train 4, validation 4'")

	at := browsertest.Eval[struct{ X, Y float64 }](b, "(() => { const r = document.querySelector('#loss svg').getBoundingClientRect(); return { X: r.left + r.width * 0.95, Y: r.top + 20 } })()")
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y))
	b.Until("document.querySelector('#loss output').textContent == 'step 3: train 2, validation 2'")
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 5, 5))
	b.Until("document.querySelector('#loss output').textContent == 'step'")
	b.Do(chromedp.KeyEvent(kb.ArrowRight))
	b.Looks("wide")

	s.set("", append(parts(curve(4, 3, 2, 1), "stopping"), Part{"more", "<p>another part"})...)
	b.Until("document.querySelector('#loss var').textContent == '1' && document.body.innerText.includes('stopping') && document.getElementById('more')?.innerText == 'another part'")
	if got := browsertest.Eval[string](b, "document.activeElement.id + ' ' + document.querySelector('#loss output').textContent"); got != "loss step 1: train 4, validation 4" {
		t.Errorf("after a change the reader is at %q", got)
	}
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until("document.querySelector('#loss output').textContent == 'step'")

	b.Do(chromedp.KeyEvent("p"))
	b.Until("document.getElementById('state').textContent == 'paused' && document.getElementById('pause').getAttribute('aria-pressed') == 'true'")
	s.set("", parts(curve(1), "paused")[:1]...)
	b.Do(browsertest.Press("#pause"))
	b.Until("document.querySelectorAll('main > section').length == 1 && document.getElementById('state').textContent == 'live'")

	server.Close("it has ended")
	b.Until("document.getElementById('state').textContent == 'it has ended' && document.getElementById('pause').hidden")
	b.Quiet(server.URL, server.URL+"events", server.URL+"events")
}

// TestBrowserNarrow shows the page on a small screen with a dark theme: nothing is wider than the screen.
func TestBrowserNarrow(t *testing.T) {
	b, _, server := open(t, 360, 640)
	b.Dark()
	b.Until("getComputedStyle(document.body).backgroundColor == 'rgb(20, 24, 27)'")
	if n := browsertest.Eval[float64](b, "document.documentElement.scrollWidth"); n > 360 {
		t.Errorf("the page is %v wide, want 360 at most", n)
	}
	b.Looks("narrow")
	b.Quiet(server.URL, server.URL+"events")
}

// TestBrowserReturns checks that a page continues when the program was gone and is back.
func TestBrowserReturns(t *testing.T) {
	b, s, server := open(t, 1200, 800)
	server.s.Close()
	b.Until("document.getElementById('state').textContent.startsWith('not reachable: ')")
	s.set("", parts(curve(1), "restarted")...)
	again, err := Open(server.URL[len("http://"):len(server.URL)-1], s.source)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close("")
	b.Until("document.getElementById('state').textContent == 'live' && document.body.innerText.includes('restarted')")
}
