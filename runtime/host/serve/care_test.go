package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener of in-memory connections in virtual time.
type pipes struct {
	conns chan net.Conn
	over  chan bool
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.over); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// dial begins a request with a body of n bytes.
func (p pipes) dial(n int, host string) net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	fmt.Fprintf(here, "POST /run HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", host, n)
	return here
}

// status returns the status of the server's answer.
func status(t *testing.T, c net.Conn) int {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// serving calls f with a server in virtual time.
func serving(t *testing.T, opt options, f func(p pipes)) {
	synctest.Test(t, func(t *testing.T) {
		h, err := newHandler(adder(1, nil), opt)
		if err != nil {
			t.Fatal(err)
		}
		p := pipes{make(chan net.Conn), make(chan bool)}
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() { stopped <- listen(ctx, p, h, opt) }()
		f(p)
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

var careful = options{concurrency: 1, maxRequest: 1 << 20, maxBodies: 4 << 20, connections: 300, timeout: 30 * time.Second}

// TestSlowSenders: a hundred requests that send one byte per second do not block others, and are disconnected.
func TestSlowSenders(t *testing.T) {
	serving(t, careful, func(p pipes) {
		began := time.Now()
		codes := make(chan int)
		var senders sync.WaitGroup
		for range 100 {
			c := p.dial(1<<20, "localhost")
			senders.Go(func() {
				for {
					if _, err := io.WriteString(c, " "); err != nil {
						return
					}
					time.Sleep(time.Second)
				}
			})
			go func() { codes <- status(t, c) }()
		}
		time.Sleep(5 * time.Second)
		c := p.dial(len(request), "localhost")
		io.WriteString(c, request)
		if code := status(t, c); code != 200 {
			t.Errorf("beside slow senders: got %d", code)
		}
		c.Close()
		for range 100 {
			if code := <-codes; code != 408 {
				t.Errorf("a slow sender: got %d, want 408", code)
			}
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("slow senders were cut off after %v", took)
		}
		senders.Wait()
	})
}

// TestLongRequest: a request may take longer than the timeout, as long as its bytes arrive fast enough.
func TestLongRequest(t *testing.T) {
	serving(t, careful, func(p pipes) {
		body := request + strings.Repeat(" ", 1<<20-len(request))
		c := p.dial(len(body), "localhost")
		for i := 0; i < len(body); i += 20 << 10 {
			if _, err := io.WriteString(c, body[i:min(i+20<<10, len(body))]); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if code := status(t, c); code != 200 {
			t.Errorf("got %d", code)
		}
		c.Close()
	})
}

// TestMemoryOfRequests: announced bytes cost no memory; sent bytes are limited, and released.
func TestMemoryOfRequests(t *testing.T) {
	serving(t, careful, func(p pipes) {
		var open []net.Conn
		for range 50 {
			open = append(open, p.dial(1<<20, "localhost")) // none of whose bytes arrive
		}
		for range 3 {
			c := p.dial(1<<20, "localhost")
			io.WriteString(c, strings.Repeat(" ", 1<<20-1))
			open = append(open, c)
		}
		synctest.Wait()
		c := p.dial(1<<20, "localhost")
		go io.WriteString(c, strings.Repeat(" ", 1<<20-1))
		if code := status(t, c); code != 503 {
			t.Errorf("beyond the memory of requests: got %d, want 503", code)
		}
		c.Close()
		for _, c := range open {
			c.Close()
		}
		synctest.Wait()
		c = p.dial(len(request), "localhost")
		io.WriteString(c, request)
		if code := status(t, c); code != 200 {
			t.Errorf("after the others have gone: got %d", code)
		}
		c.Close()
	})
}

// TestLongHeader: a header may have 16 KiB and a little more.
func TestLongHeader(t *testing.T) {
	serving(t, careful, func(p pipes) {
		here, there := net.Pipe()
		p.conns <- there
		go fmt.Fprintf(here, "GET / HTTP/1.1\r\nHost: localhost\r\nA: %s\r\n\r\n", strings.Repeat("x", 30<<10))
		if code := status(t, here); code != 431 {
			t.Errorf("got %d, want 431", code)
		}
		here.Close()
	})
}

// TestForeignName: a foreign page whose host name resolves to loopback gets no answer.
func TestForeignName(t *testing.T) {
	opt := careful
	opt.names = []string{"models.example"}
	for host, want := range map[string]int{"evil.example": 403, "models.example:80": 200, "localhost:8080": 200} {
		serving(t, opt, func(p pipes) {
			c := p.dial(len(request), host)
			go io.WriteString(c, request)
			if code := status(t, c); code != want {
				t.Errorf("%s: got %d, want %d", host, code, want)
			}
			c.Close()
		})
	}
}
