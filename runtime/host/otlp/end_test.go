package otlp

import (
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// TestEndWithin ends an exporter with many batches, whose collector hangs, answers slowly or byte by byte, within no time, a little, and
// far more than it takes: it never takes longer than it may, nor longer than one attempt for each batch, and all spans are counted.
func TestEndWithin(t *testing.T) {
	const patience = 10 * time.Second // for an answer
	slow := func(each time.Duration, text string) func(net.Conn, int) {
		return func(c net.Conn, _ int) {
			for i := range len(text) {
				time.Sleep(each)
				if _, err := io.WriteString(c, text[i:i+1]); err != nil {
					return
				}
			}
		}
	}
	good := body("200 OK", nil, "Connection: close\r\n") // the next batch would be lost on a connection that is being closed
	for name, c := range map[string]struct {
		answer func(net.Conn, int)
		takes  time.Duration // for a batch, if there is time
		sent   bool
	}{
		"at once":          {says(good), 0, true},
		"hangs":            {func(c net.Conn, _ int) { io.Copy(io.Discard, c) }, patience, false},
		"byte by byte":     {slow(time.Millisecond, good), time.Duration(len(good)) * time.Millisecond, true},
		"too slow":         {slow(time.Second, good), patience, false},
		"asks to wait":     {says(body("503 Busy", nil, "Retry-After: 100000\r\n")), 0, false},
		"closes at once":   {says(""), 0, false},
		"half, then hangs": {func(c net.Conn, _ int) { io.WriteString(c, good[:9]); io.Copy(io.Discard, c) }, patience, false},
	} {
		for _, within := range []time.Duration{0, 1, time.Millisecond, time.Second, patience, time.Hour, 1 << 62} {
			t.Run(fmt.Sprint(name, " within ", within), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := &hostile{answer: c.answer}
					x, _ := testExporter(Config{Endpoint: "http://collector/", Timeout: patience}, io.Discard)
					x.wait = x.pause
					h.attach(x)
					const batches = 4
					for range batches * maxBatch {
						x.Add(&round[1][0])
					}
					began := time.Now()
					go x.run()
					x.End(within)
					took := time.Since(began)
					if most := min(within, batches*c.takes); took > most {
						t.Errorf("the end takes %v, want %v at most", took, most)
					}
					sent, dropped := x.Counts()
					if sent+dropped != batches*maxBatch || sent > 0 && !c.sent || c.sent && within >= batches*patience && dropped > 0 {
						t.Errorf("%d spans are sent and %d dropped, of %d", sent, dropped, batches*maxBatch)
					}
					h.wait.Wait()
				})
			})
		}
	}
}
