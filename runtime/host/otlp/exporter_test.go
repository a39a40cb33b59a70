package otlp

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// collector is a server that answers each request as told.
type collector struct {
	*httptest.Server
	answers []func(http.ResponseWriter) // then 200
	bodies  chan []byte
	headers http.Header
}

func newCollector(t *testing.T, answers ...func(http.ResponseWriter)) *collector {
	c := &collector{answers: answers, bodies: make(chan []byte, 100)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	c.headers = r.Header
	c.bodies <- b
	if len(c.answers) > 0 {
		answer := c.answers[0]
		c.answers = c.answers[1:]
		answer(w)
	}
}

// status answers with a status code.
func status(code int, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// testExporter returns an exporter of peer 1 that does not run, and the waits between its attempts.
func testExporter(c Config, log io.Writer) (x *Exporter, waits *[]time.Duration) {
	c.Ratio, waits = 1, new([]time.Duration)
	x = newExporter(c, testProcess(1), slog.New(slog.NewTextHandler(log, nil)))
	x.wait = func(d time.Duration) { *waits = append(*waits, d) }
	return x, waits
}

// ends ends an exporter in real time. If that hangs the test fails long before all tests are given up.
func ends(t *testing.T, x *Exporter, within time.Duration) {
	t.Helper()
	done := make(chan bool)
	go func() {
		x.End(within)
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(within + time.Minute):
		t.Fatal("the end hangs")
	}
}

// add gives the exporter the spans of a round.
func add(x *Exporter) {
	for i := range round[1] {
		x.Add(&round[1][i])
	}
}

// TestExport sends a round, compressed and with headers, and gets the bytes that TestRequest shows.
func TestExport(t *testing.T) {
	for _, zip := range []bool{false, true} {
		c := newCollector(t)
		x, _ := testExporter(Config{Endpoint: c.URL, Gzip: zip, Headers: []Attribute{{"Api-Key", "secret"}}}, io.Discard)
		add(x)
		go x.run()
		ends(t, x, time.Minute)
		var got io.Reader = bytes.NewReader(<-c.bodies)
		if zip {
			got, _ = gzip.NewReader(got)
		}
		if b, err := io.ReadAll(got); err != nil || !bytes.Equal(b, requestOf(1)) {
			t.Errorf("gzip %v: the request is\n%s (%v)\nwant\n%s", zip, fieldsText(b, ""), err, fieldsText(requestOf(1), ""))
		}
		if h := c.headers; h.Get("Api-Key") != "secret" || h.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("gzip %v: the headers are %v", zip, h)
		}
		if sent, dropped := x.Counts(); sent != 3 || dropped != 0 {
			t.Errorf("gzip %v: %d spans are sent and %d dropped, want 3 and 0", zip, sent, dropped)
		}
	}
}

// TestRetry shows which answers are retried, when, and what becomes of the spans.
func TestRetry(t *testing.T) {
	partial := protowire.AppendTag(nil, 1, protowire.BytesType)
	partial = protowire.AppendBytes(partial, append([]byte{1 << 3, 2, 2<<3 | 2, 3}, "old"...))
	for name, c := range map[string]struct {
		answers       []func(http.ResponseWriter)
		waits         []time.Duration // at least; backoff takes up to half of it away
		sent, dropped uint64
		log           string
	}{
		"taken":        {nil, nil, 3, 0, ""},
		"busy":         {[]func(http.ResponseWriter){status(503), status(429), status(502), status(504)}, []time.Duration{1e9 / 2, 2e9 / 2, 4e9 / 2, 8e9 / 2}, 3, 0, "takes spans again"},
		"asks to wait": {[]func(http.ResponseWriter){status(429, "Retry-After", "40")}, []time.Duration{40e9}, 3, 0, "429 Too Many Requests"},
		"always busy":  {slicesRepeat(status(503), maxAttempts), []time.Duration{0, 0, 0, 0, 0, 0}, 0, 3, "503 Service Unavailable"},
		"refused":      {[]func(http.ResponseWriter){status(400)}, nil, 0, 3, "400 Bad Request"},
		"broken":       {[]func(http.ResponseWriter){status(500)}, nil, 0, 3, "500 Internal Server Error"},
		"moved":        {[]func(http.ResponseWriter){status(307, "Location", "/elsewhere")}, nil, 0, 3, "307 Temporary Redirect"},
		"partial":      {[]func(http.ResponseWriter){func(w http.ResponseWriter) { w.Write(partial) }}, nil, 1, 2, "err=old"},
		"explained":    {[]func(http.ResponseWriter){func(w http.ResponseWriter) { w.WriteHeader(400); w.Write([]byte("\x12\x06no key")) }}, nil, 0, 3, "400 Bad Request: no key"},
	} {
		var log bytes.Buffer
		server := newCollector(t, c.answers...)
		x, waits := testExporter(Config{Endpoint: server.URL}, &log)
		add(x)
		batch, _ := x.rest(nil)
		x.export(batch)
		sent, dropped := x.Counts()
		if sent != c.sent || dropped != c.dropped || len(*waits) != len(c.waits) || !strings.Contains(log.String(), c.log) || (c.log == "") != (log.Len() == 0) {
			t.Errorf("%s: %d sent, %d dropped, waits %v, log %q; want %d, %d, %v, %q", name, sent, dropped, *waits, log.String(), c.sent, c.dropped, c.waits, c.log)
			continue
		}
		for i, d := range *waits {
			if d < c.waits[i] {
				t.Errorf("%s: wait %d is %v, want at least %v", name, i, d, c.waits[i])
			}
		}
	}
}

func slicesRepeat(f func(http.ResponseWriter), n int) (list []func(http.ResponseWriter)) {
	for range n {
		list = append(list, f)
	}
	return list
}

// TestRetryAfter shows how long a collector may make the exporter wait.
func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "soon": 0, "99999999": maxAfter,
		"Fri, 02 Jan 2026 03:04:35 GMT": 30 * time.Second,
		"Fri, 02 Jan 2026 03:04:00 GMT": 0,
		"Sat, 03 Jan 2026 03:04:05 GMT": maxAfter,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// TestFull checks that the peer does not wait for a collector that takes nothing: what does not fit into the queue is
// dropped, and the end does not wait for an answer.
func TestFull(t *testing.T) {
	began, release := make(chan bool), make(chan bool)
	defer close(release)
	c := newCollector(t, func(http.ResponseWriter) { began <- true; <-release })
	x, _ := testExporter(Config{Endpoint: c.URL}, io.Discard)
	for range maxBatch {
		x.Add(&round[1][0])
	}
	go x.run()
	<-began
	for range maxQueue + 10 {
		x.Add(&round[1][0])
	}
	if _, dropped := x.Counts(); dropped != 10 {
		t.Errorf("%d spans are dropped, want 10", dropped)
	}
	ends(t, x, 0)
	if sent, dropped := x.Counts(); sent != 0 || dropped != maxBatch+maxQueue+10 {
		t.Errorf("%d spans are sent and %d dropped, want 0 and %d", sent, dropped, maxBatch+maxQueue+10)
	}
}

// TestUnreachable checks that a collector that is not there is tried again, and that errors do not name the password in
// its URL.
func TestUnreachable(t *testing.T) {
	c := newCollector(t)
	c.Close()
	var log bytes.Buffer
	x, waits := testExporter(Config{Endpoint: strings.Replace(c.URL, "//", "//me:secret@", 1)}, &log)
	add(x)
	batch, _ := x.rest(nil)
	x.export(batch)
	if _, dropped := x.Counts(); dropped != 3 || len(*waits) != maxAttempts-1 {
		t.Errorf("%d spans are dropped after %d waits, want 3 and %d", dropped, len(*waits), maxAttempts-1)
	}
	if !strings.Contains(log.String(), "refused") || strings.Contains(log.String(), "secret") {
		t.Errorf("the log is %s", log.String())
	}
}

// FuzzAnswer reads arbitrary answers of a collector.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("\n\x07\x08\x02\x12\x03old"))
	f.Add([]byte("\x12\x06no key"))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, b []byte) {
		partialSuccess(b)
		statusText(b)
	})
}
