package live

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime/host/httpguard"
)

// dialTo returns a connection to a server over pipes, which is closed when the test ends.
func dialTo(t *testing.T, l pipes) net.Conn {
	near, far := net.Pipe()
	l <- far
	t.Cleanup(func() { near.Close() })
	return near
}

// TestReadersThatDoNotRead takes all connections with requests whose answers nobody reads: the guard cannot replace them, as
// their requests are in progress. The server ends them, and serves others again.
func TestReadersThatDoNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 3
		m, shows := http.NewServeMux(), &shown{}
		shows.set("", Part{"a", strings.Repeat("<p>line\n", 10_000)}) // more than the buffers of a connection
		Handle(m, 1, shows.source)
		s, l := newServer(m), make(pipes)
		go s.Serve(httpguard.Guard(s, l, most))
		defer s.Close()
		for range most {
			io.WriteString(dialTo(t, l), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}
		synctest.Wait()
		late := dialTo(t, l)
		if _, err := late.Read(make([]byte, 1)); err != io.EOF {
			t.Fatalf("one connection too many reads %v, want that it is closed: the attack does not take them all", err)
		}
		time.Sleep(patience + time.Second)
		c := dialTo(t, l)
		go io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		c.SetReadDeadline(time.Now().Add(time.Hour))
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("nobody else is served: %v", err)
		}
		if b, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(b), "<p>line") {
			t.Errorf("the page has %d bytes, %v", len(b), err)
		}
	})
}

// TestStreamOutlivesTheLimit: the time limit of answers is none for a stream whose browser reads it, even if nothing changes for
// longer than that.
func TestStreamOutlivesTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, shows := http.NewServeMux(), &shown{}
		shows.set("", Part{"a", "<p>1"})
		Handle(m, 1, shows.source)
		s, l := newServer(m), make(pipes)
		go s.Serve(l)
		defer s.Close()
		w := watch(t, l)
		w.update(t)
		for i, wait := range []time.Duration{patience / 2, patience + time.Second, 10 * patience} {
			time.AfterFunc(wait, func() { shows.set("", Part{"a", strings.Repeat("x", i+2)}) })
			text := ""
			for text == "" || strings.HasPrefix(text, ":") { // signs of life
				text = w.next(t)
			}
			if want := `"` + strings.Repeat("x", i+2) + `"`; !strings.Contains(text, want) {
				t.Fatalf("after %v without a change the stream has %q, want %s", wait, text, want)
			}
		}
		w.Close()
	})
}
