package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/internal/mailbox"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// heard is a receiver without a node. It records what it is told.
type heard []string

func (h *heard) deliver(b *batch) bool {
	*h = append(*h, fmt.Sprintf("envelopes: %d", len(b.ends)))
	b.next = len(b.ends)
	b.release()
	return true
}

func (h *heard) alive(*conn)               { *h = append(*h, "alive") }
func (h *heard) pong(_ *conn, p wire.Ping) { *h = append(*h, fmt.Sprintf("pong %d", p.ID)) }
func (h *heard) resume(*conn)              { *h = append(*h, "resume") }
func (h *heard) introduced(_ *conn, m []byte) error {
	if x, err := wire.ConsumeIntroduction(m, &wireLimits); err != nil || len(x.Receives) == 0 {
		return errors.Join(err, errNoIssuer)
	}
	return nil
}

// undated is a pipe without deadlines: those of a pipe cannot be set any more when the other end has closed it, which looks
// like another end of the stream.
type undated struct{ net.Conn }

func (undated) SetReadDeadline(time.Time) error  { return nil }
func (undated) SetWriteDeadline(time.Time) error { return nil }

// TestConn: a connection tells its receiver what comes, and returns why it has ended.
func TestConn(t *testing.T) {
	envelope := wire.AppendEnvelope(nil, &wire.Envelope{Seq: 1})
	hello := wire.AppendIntroduction(nil, &wire.Introduction{Receives: []string{"x"}})
	for name, tt := range map[string]struct {
		messages [][]byte
		tells    []string
		ends     error
	}{
		"nothing":         {nil, []string{"envelopes: 0"}, io.EOF},
		"envelopes":       {[][]byte{envelope, envelope}, []string{"envelopes: 2"}, io.EOF},
		"an answer":       {[][]byte{wire.AppendPing(nil, wire.Ping{ID: 7, Answer: true})}, []string{"pong 7"}, io.EOF},
		"a second answer": {slices.Repeat([][]byte{wire.AppendPing(nil, wire.Ping{ID: 7, Answer: true})}, 2), []string{"pong 7"}, ErrFlood},
		"introductions":   {[][]byte{hello, wire.AppendIntroduction(nil, &wire.Introduction{})}, nil, errNoIssuer},
		"no such stream":  {[][]byte{wire.AppendParallel(nil, wire.Parallel{Stream: 3})}, nil, runtime.ErrProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			sh := &shared{limits: limits.Default(), times: defaultTimes(), began: time.Now(), mail: mailbox.New(), ctx: ctx}
			near, far := net.Pipe()
			s := pipeStream{Conn: undated{near}}
			var to heard
			c := newConn(sh, &to, &link{}, s, conversation.NewFrames(s, time.Minute), wire.Hello{}, false)
			c.asked.Store(1)
			var b []byte
			for _, m := range tt.messages {
				b = conversation.AppendFrame(b, m)
			}
			go func() {
				far.Write(b)
				far.Close()
			}()
			err := c.run()
			sh.mail.Run()
			if !errors.Is(err, tt.ends) {
				t.Errorf("it ends with %v, want %v", err, tt.ends)
			}
			for _, want := range tt.tells {
				if !slices.Contains(to, want) {
					t.Errorf("its receiver is told %q, want %q", to, want)
				}
			}
		})
	}
}
