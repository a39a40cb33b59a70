package view_test

import (
	"fmt"
	"image/color"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/bbgen/bbgen/internal/browsertest"
	"github.com/bbgen/bbgen/view"
)

// tab is the page of a view in a browser.
type tab struct {
	*browsertest.Tab
	url string
}

// open opens a page, or skips the test where there is no browser.
func open(t *testing.T, p *view.Page, wide, high int64) *tab {
	t.Helper()
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(view.Handler(html))
	t.Cleanup(s.Close)
	b := &tab{browsertest.Open(t, s.URL+"/", wide, high), s.URL + "/"}
	b.Until("document.documentElement.dataset.firstFrame > 0")
	return b
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string) T { return browsertest.Eval[T](b.Tab, expression) }

// click clicks on a node or a group, n times.
func (b *tab) click(name string, n int) {
	at := eval[struct{ X, Y float64 }](b, fmt.Sprintf("bbgenView.where(%q)", name))
	b.Do(chromedp.MouseClickXY(at.X, at.Y, chromedp.ClickCount(n)))
}

// details returns the text of the panel.
func (b *tab) details() string {
	return eval[string](b, "document.getElementById('details').innerText")
}

// quiet checks that there are no messages on the console, and no requests except that of the page.
func (b *tab) quiet() { b.Quiet(b.url) }

// TestBrowser uses the page of a model like a reader does.
func TestBrowser(t *testing.T) {
	b := open(t, layers(t), 1200, 800)
	b.Looks("model")
	b.click("/block/fc", 1)
	b.Until("document.getElementById('details').innerText.includes('/block/fc')")
	for _, want := range []string{"Gemm", "float32[2,2]", "4 elements from 1 to 4, mean 2.5", "→ /block/act"} {
		if got := b.details(); !strings.Contains(got, want) {
			t.Errorf("the panel of a node says %q, want %q in it", got, want)
		}
	}

	b.Do(chromedp.KeyEvent(kb.ArrowDown)) // to its reader
	b.Until("document.getElementById('details').innerText.startsWith('/block/act')")
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until("document.getElementById('details').innerText.startsWith('model after import')")

	b.click("first", 2) // closes the call of a function
	b.Until("bbgenView.drawn().includes('closed first')")
	if got := eval[[]string](b, "bbgenView.drawn()"); !slices.Contains(got, "open second") {
		t.Errorf("%q are drawn, want the other call still open", got)
	}
	b.Do(chromedp.KeyEvent(kb.Enter)) // selects it
	b.Until("bbgenView.drawn().includes('open first')")
	b.quiet()
}

// TestBrowserSearch finds nodes in closed groups, only with the keyboard.
func TestBrowserSearch(t *testing.T) {
	b := open(t, layers(t), 1200, 800)
	b.click("second", 2)
	b.Until("bbgenView.drawn().includes('closed second')")
	b.Do(chromedp.KeyEvent("/"))
	b.Until("document.activeElement.id == 'search'")
	b.Do(chromedp.KeyEvent("tanh"))
	b.Until("document.getElementById('status').innerText == '2 found'")
	b.Do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter))
	b.Until("bbgenView.drawn().includes('open second')")
	b.Until("document.getElementById('details').innerText.startsWith('second/tanh')")
	scale := eval[float64](b, "bbgenView.view().scale")
	b.Do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("+"))
	if got := eval[float64](b, "bbgenView.view().scale"); got <= scale {
		t.Errorf("+ has made the scale %v, it was %v", got, scale)
	}
	b.quiet()
}

// TestBrowserCompare shows two stages side by side, with marks for differences, and the generated code after
// the last one.
func TestBrowserCompare(t *testing.T) {
	b := open(t, layers(t), 1200, 800)
	b.Do(browsertest.Press("#compare"))
	b.Until("document.getElementById('status').innerText.includes('differ')")
	b.Looks("compare")
	b.Do(browsertest.Press("#compare"))
	b.Until("document.getElementById('rightpane').hidden")
	b.Do(chromedp.Evaluate[chromedp.Void]("{ const s = document.getElementById('stage'); s.selectedIndex = s.options.length - 1; s.dispatchEvent(new Event('change')) }"))
	b.Until("bbgenView.drawn().some((x) => x.startsWith('node FusedMatMul'))")
	b.Do(chromedp.KeyEvent("/"))
	b.Until("document.activeElement.id == 'search'")
	b.Do(chromedp.KeyEvent("fused"))
	b.Until("document.getElementById('search').value == 'fused' && document.getElementById('status').innerText.endsWith('found')")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until("document.getElementById('details').innerText.includes('cpu.')")
	b.Do(browsertest.Press("[data-tab=memory]"))
	b.Until("document.querySelector('#memory canvas')?.clientHeight > 100 && document.getElementById('memory').clientHeight > 500 && document.getElementById('memory').innerText.includes('Buffers that grow')")
	b.Looks("memory")
	b.quiet()
}

// TestBrowserNarrow shows the page on a small screen with a dark theme: nothing is wider than the screen, and
// the panel covers a part of it when a node is selected.
func TestBrowserNarrow(t *testing.T) {
	p := layers(t)
	p.Subjects[0].Title = "example.com/a/path/that/is/wider/than/the/screen.onnx"
	b := open(t, p, 360, 640)
	b.Dark()
	b.Until("getComputedStyle(document.body).backgroundColor == 'rgb(20, 24, 27)'")
	if n := eval[float64](b, "document.documentElement.scrollWidth"); n > 360 {
		t.Errorf("the page is %v wide, want 360 at most", n)
	}
	if eval[bool](b, "document.getElementById('panel').checkVisibility()") {
		t.Error("the panel is shown before anything is chosen")
	}
	if at := eval[struct{ X float64 }](b, "bbgenView.where('/block/fc')"); at.X > 350 {
		t.Errorf("the middle of a node is at %v, want all of the graph on the screen", at.X)
	}
	b.click("/block/fc", 1)
	b.Until("document.getElementById('panel').checkVisibility()")
	b.Looks("narrow")
	b.Do(browsertest.Press("#close"))
	b.Until("!document.getElementById('panel').checkVisibility()")
	b.quiet()
}

// TestBrowserProgram shows the classes of a program.
func TestBrowserProgram(t *testing.T) {
	b := open(t, program(t), 1200, 800)
	b.Looks("program")
	if got := eval[[]string](b, "bbgenView.drawn()"); !slices.Contains(got, "open server") || !slices.Contains(got, "open client") {
		t.Errorf("%q are drawn, want the classes open", got)
	}
	b.Do(browsertest.Press("[data-tab=program]"))
	b.Until("document.querySelectorAll('#program .class').length == 2")
	if got := eval[string](b, "document.getElementById('program').innerText"); !strings.Contains(got, "client.update") || !strings.Contains(got, "Class server") {
		t.Errorf("the program's part says %q", got)
	}
	b.Looks("classes")
	b.quiet()
}

// TestBrowserProfile shows measured times in the last stage.
func TestBrowserProfile(t *testing.T) {
	p := layers(t)
	p.Subjects[0].Profile = &view.Profile{Total: 8, Nodes: []view.ProfiledNode{{Node: "second/tanh", Call: "Tanh", Time: 5, Share: 0.625}, {Node: "first/tanh", Time: 1}}}
	b := open(t, p, 1200, 800)
	if got := eval[string](b, "document.getElementById('color').value"); got != "time" {
		t.Errorf("nodes are colored by %s, want by time", got)
	}
	b.click("second/tanh", 1)
	b.Until("document.getElementById('details').innerText.includes('5 µs, 62.5 % (Tanh)')")
	if n := browsertest.Share(b.Picture(), color.RGBA{0, 72, 130, 255}); n < 0.001 {
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
	b.Until("document.getElementById('status').innerText == '5 nodes, 9 drawn; 1 beside, 6 differ'")
	if got := eval[string](b, "document.title"); got != "in.ir and other" {
		t.Errorf("the title is %q", got)
	}
	b.quiet()
}

// TestBrowserLarge opens ten thousand nodes, which are all drawn. The time is logged, but not checked.
func TestBrowserLarge(t *testing.T) {
	b := open(t, large(t, 10_000), 1200, 800)
	if n := eval[int](b, "bbgenView.drawn().length"); n < 10_000 {
		t.Errorf("%d items are drawn, want 10000", n)
	}
	first := eval[string](b, "document.documentElement.dataset.firstFrame")
	type speed struct{ Median, P95, FPS float64 }
	near := eval[speed](b, "bbgenView.pan(120)")
	b.Do(browsertest.Press("#fit"))
	far := eval[speed](b, "bbgenView.pan(120)")
	b.Picture()
	t.Logf("first frame after %s ms; panning: %.1f ms a frame, %.0f frames a second; all in sight: %.1f ms, %.0f", first, near.Median, near.FPS, far.Median, far.FPS)
	b.quiet()
}

// TestBrowserMoves pans over a wide graph, from far and near: the canvas shows the same as when everything is
// drawn again.
func TestBrowserMoves(t *testing.T) {
	p := large(t, 10_000)
	for i, x := range p.Subjects[0].Graphs[0].Nodes { // layers of about a hundred
		x.In = []int{max(0, i-99), max(0, i-60-i*7%80)}
	}
	b := open(t, p, 1200, 800)
	for _, where := range []string{"all in sight", "near"} {
		speed := eval[struct{ Median, FPS float64 }](b, "bbgenView.pan(40)")
		t.Logf("%s: %.1f ms a frame, %.0f frames a second", where, speed.Median, speed.FPS)
		if where == "near" {
			b.Do(chromedp.KeyEvent("ArrowDown"), chromedp.KeyEvent("ArrowRight"))
		}
		if n := eval[float64](b, "bbgenView.drift()"); n > 0.002 {
			t.Errorf("%s: %.4f of the canvas differ from what is drawn anew, want 0.002 at most", where, n)
		}
		b.Do(chromedp.KeyEvent("+"), chromedp.KeyEvent("+"), chromedp.KeyEvent("+"))
	}
	b.quiet()
}
