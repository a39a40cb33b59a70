package live

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// get sends a request with a Host header, like a browser that was led to the server by another name.
func get(t *testing.T, url, host string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		r.Host = host
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// TestOpen serves on loopback without a token, but only under the machine's own names, and at other addresses
// only with the token.
func TestOpen(t *testing.T) {
	s := &shown{}
	s.set("", Part{"a", "<p>1"})
	local, err := Open("0", s.source)
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close("")
	if !strings.HasPrefix(local.URL, "http://127.0.0.1:") || strings.Contains(local.URL, "token") {
		t.Errorf("a port alone is %s", local.URL)
	}
	all, err := Open("0.0.0.0:0", s.source)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close("")
	base, token, ok := strings.Cut(strings.Replace(all.URL, "[::]", "127.0.0.1", 1), "?token=")
	if !ok || len(token) < 20 {
		t.Fatalf("all addresses are %s", all.URL)
	}
	for _, tt := range []struct {
		url, host string
		code      int
	}{
		{local.URL, "", 200}, {local.URL, "evil.example", 403}, {local.URL + "events", "evil.example", 403}, {local.URL + "other", "", 404},
		{base + "?token=" + token, "", 200}, {base + "?token=" + token, "node7.example", 200}, {base, "", 401}, {base + "events", "", 401}, {base + "?token=x" + token, "", 401},
	} {
		code, body := get(t, tt.url, tt.host)
		if code != tt.code || strings.Contains(body, "<p>1") != (code == 200) {
			t.Errorf("%s as %q: %d, want %d: %s", tt.url, tt.host, code, tt.code, body)
		}
	}
	if _, err := Open(local.URL[len("http://"):len(local.URL)-1], s.source); err == nil {
		t.Error("an address is taken twice")
	}
}

// TestClose checks that browsers get the final state.
func TestClose(t *testing.T) {
	s := &shown{}
	s.set("", Part{"a", "<p>1"})
	server, err := Open("0", s.source)
	if err != nil {
		t.Fatal(err)
	}
	server.farewell = time.Hour // the test ends when the browser has read everything
	resp, err := http.Get(server.URL + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	w := &watcher{r: bufio.NewReader(resp.Body)}
	w.next(t)
	w.update(t)
	s.set("", Part{"a", "<p>2"})
	server.Close("ended after step %d", 7)
	if got := w.update(t); got["a"] != "<p>2" {
		t.Errorf("in the end it shows %v", got)
	}
	if got := w.next(t); got != "event: end\ndata: \"ended after step 7\"\n" {
		t.Errorf("it ends with %q", got)
	}
}
