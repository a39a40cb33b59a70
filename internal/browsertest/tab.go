// Package browsertest opens pages in Chromium, for tests. It skips tests if there is no browser.
package browsertest

import (
	"context"
	"fmt"
	"os/exec"
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
)

// Tab is a page in a headless browser.
type Tab struct {
	context.Context
	t testing.TB

	mu       sync.Mutex
	said     []string // messages on the console; guarded by mu
	requests []string // guarded by mu
}

// Open opens a page, or skips the test if there is no browser.
func Open(t testing.TB, url string, wide, high int64) *Tab {
	t.Helper()
	browser := chromium()
	if browser == "" {
		t.Skip("there is no Chromium: none of chromium, chromium-browser, google-chrome and chrome is in PATH (Debian: chromium)")
	}
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(5*time.Minute))...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	b := &Tab{Context: ctx, t: t}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	Call(b, log.Enable, cdp.Empty{})
	Call(b, runtime.Enable, cdp.Empty{})
	Call(b, network.Enable, network.EnableParams{})
	b.Do(chromedp.EmulateViewport(wide, high), chromedp.Navigate(url))
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

// hear records errors and requests.
func (b *Tab) hear(e any) {
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

// check fails the test at an error.
func (b *Tab) check(err error) {
	b.t.Helper()
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.t.Fatalf("%v; the console said %q", err, b.said)
	}
}

// Do performs actions of a user.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.check(chromedp.Do(b, actions...))
}

// Press clicks on an element.
func Press(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// Call sends a command of the protocol.
func Call[P, R any](b *Tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	_, err := chromedp.Call(b, command, params)
	b.check(err)
}

// Eval returns the value of an expression.
func Eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	out, err := chromedp.Run(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	b.check(err)
	return out
}

// Until waits until an expression is true.
func (b *Tab) Until(expression string) {
	b.t.Helper()
	if err := chromedp.Do(b, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(3*time.Minute))); err != nil {
		b.t.Errorf("%s: the page says %q", expression, Eval[string](b, "document.body.innerText"))
		b.check(err)
	}
}

// Dark emulates a preference for dark colors.
func (b *Tab) Dark() {
	b.t.Helper()
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
}

// Quiet checks that there are no messages on the console, and no requests except those to the given
// addresses, in any order.
func (b *Tab) Quiet(urls ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.said) > 0 {
		b.t.Errorf("the console said %q", b.said)
	}
	got := slices.Sorted(slices.Values(b.requests))
	if want := slices.Sorted(slices.Values(urls)); !slices.Equal(got, want) {
		b.t.Errorf("the page asked for %q, want %q alone", got, want)
	}
}
