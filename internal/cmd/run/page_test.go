package run

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/browsertest"
)

// watched is a board of two clients and a server, with a page.
func watched(t *testing.T) *watch {
	t.Helper()
	w := &watch{board: newBoard([]class{{"client", []int{0, 1}}, {"server", []int{0}}})}
	p, err := openPage("0", "federation", w.board)
	if err != nil {
		t.Fatal(err)
	}
	w.page = p
	t.Cleanup(func() { w.page.close() })
	return w
}

// lines passes lines of peers, as JSON, to a board.
func (w *watch) take(t *testing.T, lines string) {
	t.Helper()
	for text := range strings.Lines(lines) {
		w.page.change(func() {
			e := eventOf(t, w.board, text)
			w.board.event(e)
			w.page.take(e)
		})
	}
}

// said returns all parts of the page.
func (w *watch) said() string {
	x, _ := w.page.show(context.Background())
	var b strings.Builder
	for _, part := range x.Parts {
		b.WriteString(part.HTML)
	}
	return b.String()
}

const running = `{"peer":"client-0","kind":"started","state":"running","in":10,"out":20,"pages":"http://127.0.0.1:7/"}
{"peer":"client-1","kind":"started","state":"running","in":10,"out":20}
{"peer":"server-0","kind":"started","state":"running","in":10,"out":2048}
{"peer":"client-0","kind":"emitted","name":"client.loss","round":1,"value":[0.5]}
{"peer":"client-1","kind":"emitted","name":"client.loss","round":1,"value":[0.25]}
{"peer":"server-0","kind":"emitted","name":"server.accuracy","round":1,"value":[0.75]}
{"peer":"client-0","kind":"emitted","name":"client.loss","round":2,"value":[0.125]}
`

// TestRunPage tests the peers, the means of a class in each round, and the traffic on the page.
func TestRunPage(t *testing.T) {
	w := watched(t)
	w.take(t, running)
	got := w.said()
	for _, want := range []string{
		"<b>3 up</b>of 3 peers", "<b>2</b>round", "<b>2.0 KiB</b>sent",
		`id="chart-value-loss" tabindex=0 role=group aria-label="loss: client 0.125" data-x="round" data-range="1 2 0.125 0.375"`,
		`aria-label="accuracy: server 0.75"`, `id="chart-traffic"`, `<td><a href="http://127.0.0.1:7/">client-0</a><td class=up>up<td class=n>2<td class=n>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %s:\n%s", want, got)
		}
	}
	if strings.Contains(got, "class=missing") {
		t.Errorf("something is wrong on the page: %s", got)
	}
}

// TestRunPagePicture tests that the page shows what is under way in each class, without peers that have ended.
func TestRunPagePicture(t *testing.T) {
	w := watched(t)
	const waits = `"picture":{"class":"client","modules":[{"name":"train","live":1,"blocks":[{"needs":[{"name":"fill params","waits":1,"waited_ns":5,"oldest":"for 5ns"}]}]}],"edges":[]}}`
	w.take(t, running+`{"peer":"client-0","kind":"status","state":"running",`+waits+`
{"peer":"client-1","kind":"status","state":"running",`+waits+`
`)
	got := w.said()
	for _, want := range []string{"<h2>Under way: client</h2>", "train · 2 under way", "fill params · 2 waiting", "client-0 for 5ns"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %s:\n%s", want, got)
		}
	}
	if strings.Contains(got, "Under way: server") {
		t.Error("a class has a picture of which none has come")
	}
	w.take(t, `{"peer":"client-0","kind":"ended"}`)
	if got := w.said(); !strings.Contains(got, "train · 1 under way") || !strings.Contains(got, "client-1 for 5ns") {
		t.Errorf("after one has ended, the page is\n%s", got)
	}
}

// TestRunPageTrouble tests that the page shows missing peers with the reason, and each death once.
func TestRunPageTrouble(t *testing.T) {
	w := watched(t)
	w.take(t, running+`{"peer":"client-1","kind":"killed"}
{"peer":"server-0","kind":"peer down","from":"client-1","error":"the connection is lost"}
{"peer":"client-0","kind":"peer down","from":"client-1","error":"the connection is lost"}
{"peer":"server-0","kind":"failed","error":"no <memory>"}
`)
	got := w.said()
	for _, want := range []string{
		"<b>2 up, 1 down</b>of 3 peers", "<p class=missing>client-1 is down: it was killed, and comes back</p>", "failed blocks: 1, the last of server-0: no &lt;memory&gt;",
		"<td class=missing>client-1: killed\n", "<td class=missing>server-0: peer down client-1: the connection is lost\n", "<b>1</b>killed",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %s:\n%s", want, got)
		}
	}
	if n := strings.Count(got, "the connection is lost\n"); n != 1 {
		t.Errorf("a death is told %d times, want once", n)
	}
	w.take(t, `{"peer":"client-1","kind":"exited"}
{"peer":"client-1","kind":"started","state":"running"}
{"peer":"server-0","kind":"peer up","from":"client-1"}
{"peer":"client-0","kind":"ended","error":"no room"}
`)
	got = w.said()
	if !strings.Contains(got, "<td class=up>restarted") || !strings.Contains(got, "<td>server-0: peer up client-1\n") || !strings.Contains(got, "client-0 is failed: no room") {
		t.Errorf("when it is back, the page is %s", got)
	}
}

// TestRunPageTogether: browsers read the page while the board changes. The race detector checks the access.
func TestRunPageTogether(t *testing.T) {
	w := watched(t)
	done := make(chan error)
	go func() {
		resp, err := http.Get(w.page.server.URL + "events")
		if err == nil {
			defer resp.Body.Close()
			r := bufio.NewReader(resp.Body)
			for n := 0; n < 2 && err == nil; { // two updates
				var line string
				if line, err = r.ReadString('\n'); strings.HasPrefix(line, "data: ") {
					n++
				}
			}
		}
		done <- err
	}()
	for i := 3; ; i++ {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		default:
			w.take(t, fmt.Sprintf(`{"peer":"client-0","kind":"emitted","name":"client.loss","round":%d,"value":[%d]}`, i, i))
		}
	}
}

// TestRunBrowser shows a death, and the end of the run, in a browser.
func TestRunBrowser(t *testing.T) {
	w := watched(t)
	w.take(t, running)
	b := browsertest.Open(t, w.page.server.URL, 360, 640)
	b.Until("document.getElementById('state').textContent == 'live' && document.body.innerText.includes('3 up')")
	w.take(t, `{"peer":"client-1","kind":"killed"}`)
	b.Until("document.body.innerText.includes('2 up, 1 down') && document.body.innerText.includes('client-1 is down')")
	if n := browsertest.Eval[float64](b, "document.documentElement.scrollWidth"); n > 360 {
		t.Errorf("the page is %v wide, want 360 at most", n)
	}
	b.Looks("narrow")
	w.page.close()
	w.page = nil
	b.Until("document.getElementById('state').textContent.startsWith('stopped after ')")
}
