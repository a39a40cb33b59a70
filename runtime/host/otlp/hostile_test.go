package otlp

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// hostile is a collector at the other end of pipes, in virtual time: its answers are bytes, not what a server of HTTP would let
// it write.
type hostile struct {
	answer func(c net.Conn, attempt int) // to a request that was read
	wait   sync.WaitGroup
	mu     sync.Mutex
	asked  int // requests
	dials  int
	open   int // connections
}

// attach makes an exporter use the collector.
func (h *hostile) attach(x *Exporter) {
	x.client.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		h.count(1)
		h.wait.Go(func() {
			defer h.count(-1)
			defer far.Close()
			h.serve(far)
		})
		return near, nil
	}
}

func (h *hostile) count(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open += n
	h.dials += max(n, 0)
}

func (h *hostile) counts() (dials, open int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.dials, h.open
}

func (h *hostile) serve(c net.Conn) {
	r := bufio.NewReader(c)
	for attempt := 0; ; attempt++ {
		q, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, q.Body); err != nil {
			return
		}
		h.mu.Lock()
		h.asked++
		h.mu.Unlock()
		h.answer(c, attempt)
	}
}

// says returns a collector that answers each request with the same bytes, and closes the connection.
func says(text string) func(net.Conn, int) {
	return func(c net.Conn, _ int) {
		io.WriteString(c, text)
		c.Close()
	}
}

// body returns an answer with a body of this length.
func body(status string, b []byte, header ...string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n%s", status, len(b), strings.Join(header, ""), b)
}

// rejects returns an answer by which a number of spans were rejected.
func rejects(n uint64, why string) []byte {
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), n)
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), why)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), b)
}

// zeros returns a compressed text that is a thousand times as long.
func zeros(n int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(make([]byte, n))
	w.Close()
	return b.Bytes()
}

// forever writes until the other end does not read any more.
func forever(head string) func(net.Conn, int) {
	return func(c net.Conn, _ int) {
		io.WriteString(c, head)
		for {
			if _, err := io.WriteString(c, strings.Repeat("x", 4096)); err != nil {
				return
			}
		}
	}
}

// TestHostileCollector: whatever a collector answers, each span is counted once, as sent or as dropped, the exporter ends when it
// is told to, and no connection remains.
func TestHostileCollector(t *testing.T) {
	hang := func(c net.Conn, _ int) { io.Copy(io.Discard, c) }
	for name, c := range map[string]struct {
		answer func(net.Conn, int)
		sent   uint64 // of three spans
	}{
		"nothing":               {says(""), 0},
		"never":                 {hang, 0},
		"no HTTP":               {says("\x00\x01\x02\r\n\r\n"), 0},
		"half a header":         {says("HTTP/1.1 200 OK\r\nContent-Le"), 0},
		"endless header":        {forever("HTTP/1.1 200 OK\r\nX: "), 0},
		"endless answer":        {forever("HTTP/1.1 200 OK\r\n\r\n"), 3},
		"endless error":         {forever("HTTP/1.1 400 Bad\r\n\r\n"), 0},
		"endless advice":        {forever("HTTP/1.1 503 Busy\r\nRetry-After: 1\r\n\r\n"), 0},
		"endless early answers": {func(c net.Conn, _ int) { io.WriteString(c, strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1e5)) }, 0},
		"cut off":               {says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), 3},
		"switches":              {says("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"), 0},
		"rejects more":          {says(body("200 OK", rejects(4, "all"))), 0},
		"rejects very many":     {says(body("200 OK", rejects(math.MaxUint64, "all"))), 0},
		"rejects two":           {says(body("200 OK", rejects(2, "two"))), 1},
		"warns":                 {says(body("200 OK", rejects(0, strings.Repeat("\xff", 1e4)))), 3},
		"is a page":             {says(body("200 OK", []byte("<html>"))), 3},
		"compressed zeros":      {says(body("200 OK", zeros(64<<20), "Content-Encoding: gzip\r\n")), 3},
		"not compressed":        {says(body("200 OK", []byte("plain"), "Content-Encoding: gzip\r\n")), 3},
		"moved":                 {says(body("308 Moved", nil, "Location: http://elsewhere/\r\n")), 0},
		"wait forever":          {says(body("429 Wait", nil, "Retry-After: 18446744073709551616\r\n")), 0},
		"wait in the past":      {says(body("503 Wait", nil, "Retry-After: Thu, 01 Jan 1970 00:00:00 GMT\r\n")), 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &hostile{answer: c.answer}
				var log bytes.Buffer
				x, _ := testExporter(Config{Endpoint: "http://me:secret@collector/v1/traces", Timeout: 10 * time.Second}, &log)
				x.wait = x.pause
				h.attach(x)
				add(x)
				go x.run()
				time.Sleep(maxAttempts*(maxAfter+x.config.Timeout) + maxDelay) // as long as it may take to send a batch, or to give it up
				sent, dropped := x.Counts()
				if sent != c.sent || sent+dropped != 3 {
					t.Errorf("%d sent and %d dropped, want %d and %d", sent, dropped, c.sent, 3-c.sent)
				}
				add(x)
				began := time.Now()
				x.End(time.Second)
				if took := time.Since(began); took > time.Second {
					t.Errorf("the end takes %v, want a second at most", took)
				}
				if sent, dropped := x.Counts(); sent+dropped != 6 {
					t.Errorf("in the end %d are sent and %d dropped, want 6 in all", sent, dropped)
				}
				h.wait.Wait() // for ever if a connection remains
				if strings.Contains(log.String(), "secret") || log.Len() > 16*maxMessage {
					t.Errorf("the log has %d bytes: %.1000s", log.Len(), log.String())
				}
			})
		})
	}
}

// TestEndClosesConnections: while it runs the exporter keeps its connection for the next batch, and at its end none is left.
func TestEndClosesConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hostile{answer: func(c net.Conn, _ int) { io.WriteString(c, body("200 OK", nil)) }}
		x, _ := testExporter(Config{Endpoint: "http://collector/", Timeout: time.Second}, io.Discard)
		h.attach(x)
		go x.run()
		for range 3 {
			add(x)
			time.Sleep(2 * maxDelay)
		}
		if dials, open := h.counts(); dials != 1 || open != 1 {
			t.Errorf("for three batches there were %d connections, and %d are open, want the same one", dials, open)
		}
		x.End(time.Minute)
		synctest.Wait()
		if _, open := h.counts(); open != 0 {
			t.Errorf("%d connections are open after the end, want none", open)
		}
		if sent, dropped := x.Counts(); sent != 9 || dropped != 0 {
			t.Errorf("%d are sent and %d dropped, want 9 and 0", sent, dropped)
		}
	})
}

// TestEndInAnyState ends an exporter while it has nothing, while it collects, sends and waits between attempts: it returns in
// time, and each span is counted.
func TestEndInAnyState(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(net.Conn, int)
		spans  int
		after  time.Duration // since the spans were added
		within time.Duration
		takes  time.Duration // at most
		sent   uint64
		asks   int // requests in all
	}{
		"idle":                {says(""), 0, time.Hour, time.Minute, 0, 0, 0},
		"collecting":          {says(body("200 OK", nil)), 1, maxDelay / 2, time.Minute, 0, 3, 1},
		"sending":             {func(c net.Conn, _ int) { time.Sleep(8 * time.Second); says(body("200 OK", nil))(c, 0) }, 1, maxDelay + time.Second, time.Minute, 7 * time.Second, 3, 1},
		"sending, no time":    {func(c net.Conn, _ int) { io.Copy(io.Discard, c) }, 1, maxDelay + time.Second, 2 * time.Second, 2 * time.Second, 0, 1},
		"waiting":             {says(body("503 Busy", nil, "Retry-After: 200\r\n")), 1, maxDelay + time.Second, time.Minute, 0, 0, 2},
		"more than one batch": {says(body("200 OK", nil, "Connection: close\r\n")), maxBatch, 0, time.Minute, 0, 3 * maxBatch, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &hostile{answer: c.answer}
				x, _ := testExporter(Config{Endpoint: "http://collector/", Timeout: time.Minute}, io.Discard)
				x.wait = x.pause
				h.attach(x)
				for range c.spans {
					add(x)
				}
				go x.run()
				time.Sleep(c.after)
				began := time.Now()
				x.End(c.within)
				if took := time.Since(began); took > c.takes {
					t.Errorf("the end takes %v, want %v at most", took, c.takes)
				}
				if sent, dropped := x.Counts(); sent != c.sent || sent+dropped != uint64(3*c.spans) {
					t.Errorf("%d are sent and %d dropped, want %d of %d", sent, dropped, c.sent, 3*c.spans)
				}
				h.wait.Wait()
				if h.asked != c.asks {
					t.Errorf("there were %d requests, want %d: at the end each batch has one attempt", h.asked, c.asks)
				}
			})
		})
	}
}
