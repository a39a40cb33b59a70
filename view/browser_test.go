package view_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/bbgen/bbgen/view"
)

// tab is a page in a browser without a window.
type tab struct {
	context.Context
	t   *testing.T
	url string

	mu       sync.Mutex
	said     []string // what the console had to say; guarded by mu
	requests []string // guarded by mu
}

// open opens a page, or skips the test where there is no browser.
func open(t *testing.T, p *view.Page, wide, high int64) *tab {
	t.Helper()
	browser := chromium()
	if browser == "" {
		t.Skip("there is no Chromium: none of chromium, chromium-browser, google-chrome and chrome is in PATH")
	}
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(view.Handler(html))
	t.Cleanup(s.Close)
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(5*time.Minute))...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	b := &tab{Context: ctx, t: t, url: s.URL + "/"}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	call(b, network.Enable, network.EnableParams{})
	b.do(chromedp.EmulateViewport(wide, high), chromedp.Navigate(b.url))
	b.until("document.documentElement.dataset.firstFrame > 0")
	return b
}

func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// hear notes what is wrong and what is asked for.
func (b *tab) hear(e any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, string(e.Type))
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception))
	case *log.EventEntryAdded:
		b.said = append(b.said, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "blob:") && !strings.HasPrefix(e.Request.URL, "data:") {
			b.requests = append(b.requests, e.Request.URL)
		}
	}
}

// check ends the test at an error.
func (b *tab) check(err error) {
	b.t.Helper()
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.t.Fatalf("%v; the console said %q", err, b.said)
	}
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.check(chromedp.Do(b, actions...))
}

// call sends a command of the protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	_, err := chromedp.Call(b, command, params)
	b.check(err)
}

// eval is what an expression gives.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	out, err := chromedp.Run(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	b.check(err)
	return out
}

// until waits until an expression is true.
func (b *tab) until(expression string) {
	b.t.Helper()
	if err := chromedp.Do(b, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(3*time.Minute))); err != nil {
		b.t.Errorf("%s: the page says %q", expression, eval[string](b, "document.body.innerText + '; the search is for ' + document.getElementById('search').value"))
		b.check(err)
	}
}

// click clicks on a node or a group, n times.
func (b *tab) click(name string, n int) {
	b.t.Helper()
	at := eval[struct{ X, Y float64 }](b, fmt.Sprintf("bbgenView.where(%q)", name))
	b.do(chromedp.MouseClickXY(at.X, at.Y, chromedp.ClickCount(n)))
}

// press clicks on an element.
func press(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// details is what the panel says.
func (b *tab) details() string {
	return eval[string](b, "document.getElementById('details').innerText")
}

// quiet checks that the console said nothing, and that nothing was asked for but the page.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.said) > 0 {
		b.t.Errorf("the console said %q", b.said)
	}
	if !slices.Equal(b.requests, []string{b.url}) {
		b.t.Errorf("the page asked for %q, want itself alone", b.requests)
	}
}

// picture is a screenshot. People who want to see it name a folder in BBGEN_SCREENSHOTS.
func (b *tab) picture() image.Image {
	b.t.Helper()
	shot, err := chromedp.Run(b, chromedp.CaptureScreenshot())
	b.check(err)
	if dir := os.Getenv("BBGEN_SCREENSHOTS"); dir != "" {
		b.check(os.WriteFile(filepath.Join(dir, b.t.Name()+".png"), shot, 0o666))
	}
	m, err := png.Decode(bytes.NewReader(shot))
	b.check(err)
	return m
}

// share is the part of a picture that has nearly a color.
func share(m image.Image, want color.RGBA) float64 {
	near := func(a uint32, b uint8) bool { return max(int(a>>8), int(b))-min(int(a>>8), int(b)) <= 3 }
	n, all := 0, m.Bounds()
	for y := all.Min.Y; y < all.Max.Y; y++ {
		for x := all.Min.X; x < all.Max.X; x++ {
			if r, g, b, _ := m.At(x, y).RGBA(); near(r, want.R) && near(g, want.G) && near(b, want.B) {
				n++
			}
		}
	}
	return float64(n) / float64(all.Dx()*all.Dy())
}

// TestBrowser goes through the page of a model as a reader does.
func TestBrowser(t *testing.T) {
	b := open(t, layers(t), 1200, 800)
	b.click("/block/fc", 1)
	b.until("document.getElementById('details').innerText.includes('/block/fc')")
	for _, want := range []string{"Gemm", "float32[2,2]", "4 elements from 1 to 4, mean 2.5", "→ /block/act"} {
		if got := b.details(); !strings.Contains(got, want) {
			t.Errorf("the panel of a node says %q, want %q in it", got, want)
		}
	}

	b.do(chromedp.KeyEvent(kb.ArrowDown)) // to who reads it
	b.until("document.getElementById('details').innerText.startsWith('/block/act')")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("document.getElementById('details').innerText.startsWith('model after import')")

	b.click("first", 2) // closes the call of a function
	b.until("bbgenView.drawn().includes('closed first')")
	if got := eval[[]string](b, "bbgenView.drawn()"); !slices.Contains(got, "open second") {
		t.Errorf("%q are drawn, want the other call still open", got)
	}
	b.do(chromedp.KeyEvent(kb.Enter)) // it is selected
	b.until("bbgenView.drawn().includes('open first')")
	b.quiet()
}

// TestBrowserSearch finds nodes in groups that are closed, by the keyboard alone.
func TestBrowserSearch(t *testing.T) {
	b := open(t, layers(t), 1200, 800)
	b.click("second", 2)
	b.until("bbgenView.drawn().includes('closed second')")
	b.do(chromedp.KeyEvent("/"))
	b.until("document.activeElement.id == 'search'")
	b.do(chromedp.KeyEvent("tanh"))
	b.until("document.getElementById('status').innerText == '2 found'")
	b.do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter))
	b.until("bbgenView.drawn().includes('open second')")
	b.until("document.getElementById('details').innerText.startsWith('second/tanh')")
	scale := eval[float64](b, "bbgenView.view().scale")
	b.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("+"))
	if got := eval[float64](b, "bbgenView.view().scale"); got <= scale {
		t.Errorf("+ has made the scale %v, it was %v", got, scale)
	}
	b.quiet()
}

// TestBrowserCompare shows two stages side by side, with marks where they differ, and the
// generated code behind the last.
func TestBrowserCompare(t *testing.T) {
	b := open(t, layers(t), 1200, 800)
	b.do(press("#compare"))
	b.until("document.getElementById('status').innerText.includes('differ')")
	if n := share(b.picture(), color.RGBA{0xe6, 0x9f, 0, 255}); n < 0.001 {
		t.Errorf("%.4f of the picture has the color of what has changed, want 0.001 and more", n)
	}
	b.do(press("#compare"))
	b.until("document.getElementById('rightpane').hidden")
	b.do(chromedp.Evaluate[chromedp.Void]("{ const s = document.getElementById('stage'); s.selectedIndex = s.options.length - 1; s.dispatchEvent(new Event('change')) }"))
	b.until("bbgenView.drawn().some((x) => x.startsWith('node FusedMatMul'))")
	b.do(chromedp.KeyEvent("/"))
	b.until("document.activeElement.id == 'search'")
	b.do(chromedp.KeyEvent("fused"), chromedp.KeyEvent(kb.Enter))
	b.until("document.getElementById('details').innerText.includes('cpu.')")
	b.do(press("[data-tab=memory]"))
	b.until("document.querySelector('#memory canvas')?.clientHeight > 100 && document.getElementById('memory').clientHeight > 500 && document.getElementById('memory').innerText.includes('Buffers that grow')")
	b.quiet()
}

// TestBrowserNarrow shows the page on a telephone, in the dark: nothing is wider than the
// screen, and the panel covers a part of it when something is chosen.
func TestBrowserNarrow(t *testing.T) {
	b := open(t, layers(t), 360, 640)
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	b.until("getComputedStyle(document.body).backgroundColor == 'rgb(20, 24, 27)'")
	if n := eval[float64](b, "document.documentElement.scrollWidth"); n > 360 {
		t.Errorf("the page is %v wide, want 360 at most", n)
	}
	if eval[bool](b, "document.getElementById('panel').checkVisibility()") {
		t.Error("the panel is shown before anything is chosen")
	}
	b.click("/block/fc", 1)
	b.until("document.getElementById('panel').checkVisibility()")
	if n := share(b.picture(), color.RGBA{0x14, 0x18, 0x1b, 255}); n < 0.3 {
		t.Errorf("%.2f of the picture is dark, want 0.3 and more", n)
	}
	b.do(press("#close"))
	b.until("!document.getElementById('panel').checkVisibility()")
	b.quiet()
}

// TestBrowserProgram shows the classes of a program.
func TestBrowserProgram(t *testing.T) {
	b := open(t, program(t), 1200, 800)
	if got := eval[[]string](b, "bbgenView.drawn()"); !slices.Contains(got, "open server") || !slices.Contains(got, "open client") {
		t.Errorf("%q are drawn, want the classes open", got)
	}
	b.do(press("[data-tab=program]"))
	b.until("document.querySelectorAll('#program .class').length == 2")
	if got := eval[string](b, "document.getElementById('program').innerText"); !strings.Contains(got, "client.update") || !strings.Contains(got, "Class server") {
		t.Errorf("the program's part says %q", got)
	}
	b.quiet()
}

// TestBrowserProfile lays measured times over the last stage.
func TestBrowserProfile(t *testing.T) {
	p := layers(t)
	p.Subjects[0].Profile = &view.Profile{Total: 8, Nodes: []view.ProfiledNode{{Node: "second/tanh", Call: "Tanh", Time: 5, Share: 0.625}, {Node: "first/tanh", Time: 1}}}
	b := open(t, p, 1200, 800)
	if got := eval[string](b, "document.getElementById('color').value"); got != "time" {
		t.Errorf("nodes are colored by %s, want by time", got)
	}
	b.click("second/tanh", 1)
	b.until("document.getElementById('details').innerText.includes('5 µs, 62.5 % (Tanh)')")
	if n := share(b.picture(), color.RGBA{0, 72, 130, 255}); n < 0.001 {
		t.Errorf("%.4f of the picture has the color of the slowest node, want 0.001 and more", n)
	}
	b.quiet()
}

// TestBrowserDiff compares two models.
func TestBrowserDiff(t *testing.T) {
	p := layers(t)
	p.Subjects = append(p.Subjects, subject(t, "module \"m\"\nopset 21\n\nfunc @main(%x: float32[2]) -> (%z) {\n  %z = Sqrt(%x)\n}\n"))
	p.Subjects[1].Title = "other"
	b := open(t, p, 1200, 800)
	b.until("document.getElementById('status').innerText == '5 nodes, 9 drawn; 1 beside, 6 differ'")
	if got := eval[string](b, "document.title"); got != "in.ir and other" {
		t.Errorf("the title is %q", got)
	}
	b.quiet()
}

// TestBrowserLarge opens ten thousand nodes, all of them drawn. How long that takes is
// logged and decides nothing.
func TestBrowserLarge(t *testing.T) {
	b := open(t, large(t, 10_000), 1200, 800)
	if n := eval[int](b, "bbgenView.drawn().length"); n < 10_000 {
		t.Errorf("%d items are drawn, want 10000", n)
	}
	first := eval[string](b, "document.documentElement.dataset.firstFrame")
	type speed struct{ Median, P95, FPS float64 }
	near := eval[speed](b, "bbgenView.pan(120)")
	b.do(press("#fit"))
	far := eval[speed](b, "bbgenView.pan(120)")
	b.picture()
	t.Logf("first frame after %s ms; panning: %.1f ms a frame, %.0f frames a second; all in sight: %.1f ms, %.0f", first, near.Median, near.FPS, far.Median, far.FPS)
	b.quiet()
}
