package browsertest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"

	"github.com/bbgen/bbgen/internal/failtest"
)

// TestOpenSkips: a test is skipped where there is no browser, for the reason that .ci/skips knows.
func TestOpenSkips(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := failtest.Run(t, func(r testing.TB) { Open(r, "about:blank", 100, 100) })
	if !strings.HasPrefix(r.Skipped, "there is no Chromium: ") || !strings.HasSuffix(r.Skipped, "(Debian: chromium)") || len(r.Errors) > 0 {
		t.Errorf("skipped for %q, with %q", r.Skipped, r.Errors)
	}
}

// TestChromium: of several browsers, Chromium is used.
func TestChromium(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for _, name := range []string{"", "chrome", "google-chrome", "chromium-browser", "chromium"} {
		want := ""
		if name != "" {
			want = filepath.Join(dir, name)
			if err := os.WriteFile(want, []byte("#!/bin/sh\n"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if got := chromium(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func request(url string) *network.EventRequestWillBeSent {
	return &network.EventRequestWillBeSent{Request: &network.Request{URL: url}}
}

// TestQuiet: each message on the console is a failure, and so is a request to an address that is not expected.
func TestQuiet(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []any
		want   []string // failures
	}{
		{"as expected", []any{request("http://b/"), request("data:image/png;base64,"), request("blob:1"), request("http://a/")}, nil},
		{"a request more", []any{request("http://a/"), request("http://b/"), request("http://c/")},
			[]string{`the page asked for ["http://a/" "http://b/" "http://c/"], want ["http://a/" "http://b/"] alone`}},
		{"none", nil, []string{`the page asked for [], want ["http://a/" "http://b/"] alone`}},
		{"messages", []any{
			request("http://a/"), request("http://b/"), &runtime.EventConsoleAPICalled{Type: "warning"},
			&log.EventEntryAdded{Entry: &log.Entry{Text: "not found"}}, &runtime.EventExecutionContextsCleared{},
		}, []string{`the console said ["warning" "not found"]`}},
	} {
		r := failtest.Run(t, func(r testing.TB) {
			b := &Tab{t: r}
			for _, e := range c.events {
				b.hear(e)
			}
			b.Quiet("http://a/", "http://b/")
		})
		if !slices.Equal(r.Errors, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, r.Errors, c.want)
		}
	}
}

// TestCheck: an error ends the test, with what the console has said until then.
func TestCheck(t *testing.T) {
	r := failtest.Run(t, func(r testing.TB) {
		b := &Tab{t: r}
		b.check(nil)
		b.hear(&runtime.EventExceptionThrown{ExceptionDetails: &runtime.ExceptionDetails{Text: "Uncaught"}})
		b.check(errors.New("no such element"))
	})
	if !r.Ended || len(r.Errors) != 1 || !strings.HasPrefix(r.Errors[0], `no such element; the console said ["Uncaught`) {
		t.Errorf("got %q", r.Errors)
	}
}

// TestGone: whatever a test does with a page that is not there ends it, with what the console has said.
func TestGone(t *testing.T) {
	for name, use := range map[string]func(*Tab){
		"Do":      func(b *Tab) { b.Do(Press("button")) },
		"Call":    func(b *Tab) { Call(b, log.Enable, cdp.Empty{}) },
		"Eval":    func(b *Tab) { Eval[int](b, "1+1") },
		"Until":   func(b *Tab) { b.Until("1 < 2") },
		"Dark":    (*Tab).Dark,
		"Picture": func(b *Tab) { b.Picture() },
		"Looks":   func(b *Tab) { b.Looks("page") },
	} {
		r := failtest.Run(t, func(r testing.TB) {
			use(&Tab{Context: t.Context(), t: r, said: []string{"out of memory"}})
		})
		if !r.Ended || len(r.Errors) != 1 || !strings.HasSuffix(r.Errors[0], `; the console said ["out of memory"]`) {
			t.Errorf("%s: got %q, want one failure that ends the test", name, r.Errors)
		}
	}
}
