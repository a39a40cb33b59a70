package conversation

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// drip writes bytes in pieces, with pauses between them, until the stream ends.
func drip(s io.Writer, b []byte, piece int, pause time.Duration) {
	for len(b) > 0 {
		n := min(piece, len(b))
		if _, err := s.Write(b[:n]); err != nil {
			return
		}
		b = b[n:]
		time.Sleep(pause)
	}
}

// A reader waits as long for a message to begin as it may be idle, and then as long for each part of the message as
// the peer may stall. So a slow link is no reason to give up, and one that has stopped is.
func TestDeadlines(t *testing.T) {
	const second = time.Second
	small, large := AppendFrame(nil, make([]byte, 10)), AppendFrame(nil, make([]byte, 4*step))
	for name, c := range map[string]struct {
		idle, stall time.Duration
		do          func(s net.Conn)
		late        bool          // it gives up
		at          time.Duration // when it has the message, or gives up
	}{
		"at once":                {10 * second, second, func(s net.Conn) { s.Write(small) }, false, 0},
		"late, and it may":       {0, second, func(s net.Conn) { time.Sleep(time.Hour); s.Write(small) }, false, time.Hour},
		"late, within the limit": {10 * second, second, func(s net.Conn) { time.Sleep(9 * second); s.Write(small) }, false, 9 * second},
		"never begins":           {10 * second, second, func(s net.Conn) {}, true, 10 * second},
		"stops in its length":    {0, second, func(s net.Conn) { s.Write(large[:1]) }, true, second},
		"stops in the middle":    {0, second, func(s net.Conn) { s.Write(large[:step]) }, true, second},
		"a slow link":            {0, 10 * second, func(s net.Conn) { drip(s, large, step/8, second) }, false, 32 * second},
		"too slow a link":        {0, second, func(s net.Conn) { drip(s, large, step/8, second) }, true, second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				f := NewFrames(near, time.Hour)
				f.SetIdle(c.idle)
				f.SetStall(c.stall)
				moved := 0
				f.OnBytes(func() { moved++ })
				go c.do(far)
				began := time.Now()
				m, err := f.Next(nil, 1<<30)
				took := time.Since(began)
				if late := errors.Is(err, os.ErrDeadlineExceeded); late != c.late || !late && err != nil {
					t.Errorf("got %d bytes, %v; given up: %v, want %v", len(m), err, late, c.late)
				}
				if took < c.at || took > c.at+second {
					t.Errorf("it takes %v, want %v", took, c.at)
				}
				if !c.late && moved == 0 {
					t.Error("no bytes are reported")
				}
				near.Close()
				far.Close()
				time.Sleep(2 * time.Hour) // for what is written late
			})
		})
	}
}

// A writer gives up when the other end reads nothing for the time that it may stall, however slowly it has read before.
// Until a write is done its bytes count as unwritten.
func TestWriteDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		q := NewQueue()
		ended := make(chan error)
		written := 0
		go func() { ended <- q.Write(near, 10*time.Second, func(n int) { written += n }) }()
		message := AppendFrame(nil, make([]byte, 1000))
		for range 3 { // is read late, but in time
			q.Append(func(b []byte) []byte { return append(b, message...) })
			time.Sleep(9 * time.Second)
			if n := q.Unwritten(); n != len(message) {
				t.Errorf("%d bytes are unwritten, want %d", n, len(message))
			}
			if _, err := io.ReadFull(far, make([]byte, len(message))); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if n := q.Unwritten(); n != 0 {
				t.Errorf("%d bytes are unwritten, and all are read", n)
			}
		}
		began := time.Now()
		q.Append(func(b []byte) []byte { return append(b, message...) })
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != 10*time.Second {
			t.Errorf("after %v it ends with %v", time.Since(began), err)
		}
		if written != 3*len(message) {
			t.Errorf("%d bytes count as written, want %d", written, 3*len(message))
		}
	})
}
