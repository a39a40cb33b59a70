package peer

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
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
)

// pagePipes is a listener of connections in memory, whose time is virtual.
type pagePipes chan net.Conn

func (p pagePipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pagePipes) Close() error   { close(p); return nil }
func (p pagePipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// dial returns a connection, which is closed when the test ends.
func (p pagePipes) dial(t *testing.T) net.Conn {
	near, far := net.Pipe()
	p <- far
	t.Cleanup(func() { near.Close() })
	return near
}

// asks sends a request, and returns its answer.
func (p pagePipes) asks(t *testing.T, path string) (code int, body string) {
	t.Helper()
	c := p.dial(t)
	go io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%s: no answer: %v", path, err)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: the answer ends early: %v", path, err)
	}
	return resp.StatusCode, string(b)
}

// besiege serves the pages of a host over pipes, with few connections.
func besiege(t *testing.T, most int) (*host, pagePipes) {
	h := newPagesHost(t)
	h.Times, h.budget.pages = connection.DefaultTimes(), most
	l := make(pagePipes)
	h.pages = h.pageServer(l.Addr(), true)
	go h.pages.Serve(httpguard.Guard(h.pages, l, most))
	t.Cleanup(func() {
		h.pages.Close()
		h.cancel()
	})
	return h, l
}

// TestSiegeOfPages: whatever the strangers do that take all connections of the pages, a probe of /healthz is answered again
// after a while: an orchestrator would kill the peer otherwise.
func TestSiegeOfPages(t *testing.T) {
	const request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for name, attack := range map[string]func(c net.Conn){
		"says nothing":          func(net.Conn) {},
		"half a request":        func(c net.Conn) { io.WriteString(c, request[:20]) },
		"a huge header":         func(c net.Conn) { io.WriteString(c, request[:len(request)-2]+"X: "+strings.Repeat("x", 1<<20)) },
		"byte after byte":       func(c net.Conn) { trickle(c, request[:len(request)-2]+strings.Repeat("A: b\r\n", 1000)) },
		"does not read":         func(c net.Conn) { io.WriteString(c, request) },
		"reads a byte a second": func(c net.Conn) { io.WriteString(c, request); sip(c) },
		"many requests":         func(c net.Conn) { io.WriteString(c, strings.Repeat(request, 1000)) },
		"a body that never is": func(c net.Conn) {
			io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
		},
		"chunks that never end": func(c net.Conn) {
			trickle(c, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"+strings.Repeat("1\r\nx\r\n", 1000))
		},
		"streams": func(c net.Conn) { io.WriteString(c, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, l := besiege(t, 4)
				for range 16 {
					go attack(l.dial(t))
					synctest.Wait()
				}
				time.Sleep(h.Times.Hello + h.Times.Stall + idlePages)
				if code, body := l.asks(t, "/healthz"); code != 200 || body != "ok\n" {
					t.Errorf("the probe gets %d, %q", code, body)
				}
			})
		})
	}
}

// trickle sends a text slowly.
func trickle(c net.Conn, text string) {
	for i := range len(text) {
		if _, err := io.WriteString(c, text[i:i+1]); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// sip reads slowly.
func sip(c net.Conn) {
	for b := make([]byte, 1); ; time.Sleep(time.Second) {
		if _, err := c.Read(b); err != nil {
			return
		}
	}
}

// TestPagesOfHungLoop: requests that nobody can answer, as the loop hangs, hold their connections only as long as their clients wait, and
// are answered when the loop goes on. When the host ends they end, too.
func TestPagesOfHungLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, l := besiege(t, 4)
		hangs := make(chan bool)
		h.Post(func() { <-hangs })
		for range 20 { // clients that give up
			c := l.dial(t)
			io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
			time.Sleep(time.Second)
			c.Close()
			synctest.Wait()
		}
		answered := make(chan int)
		go func() {
			code, _ := l.asks(t, "/healthz")
			answered <- code
		}()
		synctest.Wait()
		close(hangs)
		if code := <-answered; code != 200 {
			t.Errorf("when the loop goes on, the probe gets %d", code)
		}
		h.cancel()
		synctest.Wait()
		if code, body := l.asks(t, "/healthz"); code != http.StatusServiceUnavailable {
			t.Errorf("of a host that has ended it gets %d, %q", code, body)
		}
	})
}

// TestPagesOfOtherOrigin: a page of another site, whose name now resolves to this machine, reads nothing, not even an error that has
// something of the peer; and no method but GET does anything.
func TestPagesOfOtherOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l := besiege(t, 4)
		ask := func(method, path, host string) (int, string, http.Header) {
			c := l.dial(t)
			go io.WriteString(c, method+" "+path+" HTTP/1.1\r\nHost: "+host+"\r\nOrigin: http://evil.example\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
			if err != nil {
				t.Fatalf("%s %s of %s: %v", method, path, host, err)
			}
			b, _ := io.ReadAll(resp.Body)
			return resp.StatusCode, string(b), resp.Header
		}
		for _, path := range []string{"/", "/status", "/metrics", "/events", "/healthz", "/debug/pprof/", "/debug/pprof/cmdline", "/nothing"} {
			for _, host := range []string{"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "0", "2130706433", "0x7f000001", "127.1", "[::ffff:10.0.0.1]", "localhost:80:80", "localhost@evil.example"} {
				if code, body, _ := ask("GET", path, host); code != 403 && code != 400 || strings.Contains(body, "program") || strings.Contains(body, "x-0") {
					t.Errorf("%s as %s: %d, %q", path, host, code, body)
				}
			}
			if strings.HasPrefix(path, "/debug") {
				continue
			}
			if path != "/events" { // which does not end
				if _, _, h := ask("GET", path, "localhost"); h.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s lets other origins read", path)
				}
			}
			for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT"} {
				if code, body, _ := ask(method, path, "localhost"); code < 400 {
					t.Errorf("%s %s: %d, %q", method, path, code, body)
				}
			}
		}
	})
}

// TestProfileOutlivesTheLimit: a profile may take longer than other answers.
func TestProfileOutlivesTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, l := besiege(t, 4)
		for _, path := range []string{"/debug/pprof/allocs?seconds=60", "/debug/pprof/goroutine?seconds=45&debug=0"} {
			began := time.Now()
			if code, body := l.asks(t, path); code != 200 || body == "" || time.Since(began) < h.Times.Stall {
				t.Errorf("%s: %d, %d bytes after %v", path, code, len(body), time.Since(began))
			}
		}
	})
}
