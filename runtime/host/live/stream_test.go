package live

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

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

// shown is the state that a page shows in a test.
type shown struct {
	mu   sync.Mutex
	p    *Page
	over string
	asks int
}

func (s *shown) source(context.Context) (*Page, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks++
	return s.p, s.over
}

func (s *shown) set(over string, parts ...Part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.p, s.over = &Page{"<t>", "of", parts}, over
}

// watcher is a browser.
type watcher struct {
	net.Conn
	r    *bufio.Reader
	code int
}

// watch opens a stream.
func watch(t *testing.T, l pipes) *watcher {
	t.Helper()
	here, there := net.Pipe()
	l <- there
	if _, err := io.WriteString(here, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	w := &watcher{Conn: here}
	resp, err := http.ReadResponse(bufio.NewReader(w), nil)
	if err != nil {
		t.Fatal(err)
	}
	w.r, w.code = bufio.NewReader(resp.Body), resp.StatusCode
	if w.code == http.StatusOK {
		w.next(t) // the reconnection time
	}
	return w
}

// next returns the next message.
func (w *watcher) next(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for {
		line, err := w.r.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", &text, err)
		}
		if line == "\n" {
			return text.String()
		}
		text.WriteString(line)
	}
}

// update returns the next message in the form of the script: the parts, and the HTML of those that have
// changed.
func (w *watcher) update(t *testing.T) map[string]string {
	t.Helper()
	text, ok := strings.CutPrefix(w.next(t), "data: ")
	var u update
	if err := json.Unmarshal([]byte(text), &u); !ok || err != nil || u.Title != "<t>" {
		t.Fatalf("%q: %v", text, err)
	}
	got := map[string]string{}
	for _, p := range u.Parts {
		got[p.ID] = "-"
		if p.HTML != nil {
			got[p.ID] = *p.HTML
		}
	}
	return got
}

// TestStream checks that a browser gets changes, and otherwise only signs of life. At the end it gets the
// reason.
func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shown{}
		s.set("", Part{"a", "<p>1"}, Part{"b", "<p>2"})
		m := http.NewServeMux()
		Handle(m, 2, s.source)
		server, l := &http.Server{Handler: m}, make(pipes)
		go server.Serve(l)
		defer server.Close()
		w := watch(t, l)
		if got := w.update(t); w.code != 200 || got["a"] != "<p>1" || got["b"] != "<p>2" {
			t.Fatalf("%d, first %v", w.code, got)
		}
		s.set("", Part{"a", "<p>1"}, Part{"b", "<p>3"}, Part{"c", "<p>4"})
		began := time.Now()
		if got := w.update(t); len(got) != 3 || got["a"] != "-" || got["b"] != "<p>3" || got["c"] != "<p>4" {
			t.Fatalf("then %v", got)
		}
		if d := time.Since(began); d > time.Second {
			t.Errorf("it takes %v, want no more than a second", d)
		}
		began = time.Now()
		if got := w.next(t); got != ":\n" || time.Since(began) < aliveness {
			t.Errorf("after %v it says %q, want a sign of life after %v", time.Since(began), got, aliveness)
		}
		s.set("", Part{"b", "<p>3"})
		if got := w.update(t); len(got) != 1 || got["b"] != "-" {
			t.Errorf("without a and c it is %v", got)
		}
		s.set("the training\nhas ended", Part{"b", "<p>5"})
		if got := w.update(t); got["b"] != "<p>5" {
			t.Errorf("in the end %v", got)
		}
		if got := w.next(t); got != "event: end\ndata: \"the training\\nhas ended\"\n" {
			t.Errorf("it ends with %q", got)
		}
	})
}

// TestPlaces checks the maximum number of browsers, and that a disconnected one makes room for another. Without
// browsers the page is not made.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shown{}
		s.set("", Part{"a", "1"})
		m := http.NewServeMux()
		Handle(m, 1, s.source)
		server, l := &http.Server{Handler: m}, make(pipes)
		go server.Serve(l)
		defer server.Close()
		w := watch(t, l)
		w.update(t)
		if x := watch(t, l); x.code != http.StatusServiceUnavailable {
			t.Errorf("a second one gets %d", x.code)
		}
		w.Close()
		time.Sleep(time.Second)
		synctest.Wait()
		s.mu.Lock()
		before := s.asks
		s.mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		s.mu.Lock()
		if s.asks != before {
			t.Errorf("the page is rendered %d times without a viewer", s.asks-before)
		}
		s.mu.Unlock()
		if x := watch(t, l); x.code != 200 {
			t.Errorf("when the first is gone, another gets %d", x.code)
		}
	})
}

// TestStalled disconnects a browser that does not read.
func TestStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shown{}
		s.set("", Part{"a", "1"})
		m := http.NewServeMux()
		e := make(chan bool)
		Handle(m, 1, s.source)
		server, l := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			m.ServeHTTP(w, r)
			close(e)
		})}, make(pipes)
		go server.Serve(l)
		defer server.Close()
		w := watch(t, l)
		w.update(t)
		began := time.Now()
		s.set("", Part{"a", strings.Repeat("x", 1<<20)})
		<-e
		if d := time.Since(began); d > patience+2*interval {
			t.Errorf("it takes %v", d)
		}
	})
}

// TestPage checks the page without a script, and that its policy allows only its own script and style.
func TestPage(t *testing.T) {
	s := &shown{}
	s.set("", Part{"a", "<p>1"})
	m := http.NewServeMux()
	Handle(m, 1, s.source)
	get := func(method, path string) (*httptest.ResponseRecorder, string) {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w, w.Body.String()
	}
	w, body := get("GET", "/")
	for _, want := range []string{`<section id="a"><p>1</section>`, "<title>&lt;t&gt;</title>", "<noscript><meta http-equiv=\"refresh\""} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s:\n%s", want, body)
		}
	}
	if p := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'; script-src 'sha256-") || strings.Contains(p, "unsafe") {
		t.Errorf("the policy is %q", p)
	}
	if w, _ := get("POST", "/"); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST gets %d", w.Code)
	}
	s.p = nil
	if w, _ := get("GET", "/"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("when it has stopped: %d", w.Code)
	}
}
