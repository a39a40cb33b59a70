package httpguard

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
)

// TestNames sends requests with the server's own names and with others.
func TestNames(t *testing.T) {
	h := Names(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") }), "models.example")
	for host, code := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "LocalHost.:80": 200, "127.0.0.1:1": 200, "127.9.9.9": 200, "[::1]:80": 200, "[::1]": 200,
		"models.example:8080": 200, "evil.example": 403, "evil.example:8080": 403, "": 403, "10.0.0.1": 403, "localhost.evil.example": 403, "0.0.0.0": 403,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != code || code != 200 && w.Body.String() == "secret" {
			t.Errorf("Host %q: got %d, want %d", host, w.Code, code)
		}
	}
}

// pipes is a listener of connections in memory, whose time is virtual.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (p pipes) dial() net.Conn {
	here, there := net.Pipe()
	p <- there
	return here
}

// closed reports whether the server has closed a connection; it may send data before.
func closed(c net.Conn) <-chan bool {
	over := make(chan bool, 1)
	go func() {
		io.Copy(io.Discard, c)
		over <- true
	}()
	return over
}

// TestGuard fills a server with connections that send nothing or half a header, and with one whose request is
// in progress. A new one replaces the oldest waiting one and is served; the one in progress is unaffected.
func TestGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan bool)
		s := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				<-goOn
			}
		})}
		l := make(pipes)
		go s.Serve(Guard(s, l, 4))
		defer s.Close()
		slow := l.dial()
		io.WriteString(slow, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
		synctest.Wait()
		var over []<-chan bool
		for i := range 3 {
			c := l.dial()
			if i == 1 {
				io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nA: ")
			}
			synctest.Wait()
			over = append(over, closed(c))
		}
		for i := range 2 {
			c := l.dial()
			if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil || resp.StatusCode != 200 {
				t.Fatalf("connection %d beyond the limit: %v, %v", i, resp, err)
			}
			synctest.Wait()
			for k, o := range over {
				if (len(o) > 0) != (k <= i) {
					t.Errorf("after %d more connections: connection %d is closed: %t", i+1, k, len(o) > 0)
				}
			}
		}
		close(goOn)
		resp, err := http.ReadResponse(bufio.NewReader(slow), nil)
		if err != nil || resp.StatusCode != 200 {
			t.Errorf("the request that was computed: %v, %v", resp, err)
		}
	})
}

// TestGuardHijacked: a connection that a handler has taken over and closed waits for nothing, so that it is not replaced in place of
// one that does.
func TestGuardHijacked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			c.Close()
		})}
		l := make(pipes)
		go s.Serve(Guard(s, l, 1))
		defer s.Close()
		taken := l.dial()
		io.WriteString(taken, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		synctest.Wait()
		first := closed(l.dial())
		synctest.Wait()
		second := closed(l.dial())
		synctest.Wait()
		if len(first) != 1 || len(second) != 0 {
			t.Errorf("with room for one connection: the first is closed: %t, the second: %t", len(first) > 0, len(second) > 0)
		}
	})
}

// TestToken sends requests with the token, another one, or none.
func TestToken(t *testing.T) {
	h := Token(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") }), "right")
	for _, tt := range []struct {
		query, header string
		code          int
	}{
		{"?token=right", "", 200}, {"", "Bearer right", 200}, {"", "", 401}, {"?token=", "", 401}, {"?token=wrong", "", 401}, {"?token=righ", "", 401},
		{"", "Bearer wrong", 401}, {"?token=right", "Bearer wrong", 401}, {"", "Basic right", 401}, {"?token=right%00", "", 401},
	} {
		r := httptest.NewRequest("GET", "/"+tt.query, nil)
		if tt.header != "" {
			r.Header.Set("Authorization", tt.header)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != tt.code || (w.Body.String() == "secret") != (tt.code == 200) {
			t.Errorf("%q %q: got %d and %q, want %d", tt.query, tt.header, w.Code, w.Body, tt.code)
		}
	}
}
