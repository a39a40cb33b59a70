package connection

import (
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

func (h *heard) Deliver(b *Batch) bool {
	*h = append(*h, fmt.Sprintf("envelopes: %d", len(b.ends)))
	b.Drop()
	b.Release()
	return true
}

func (h *heard) Alive(*Conn)               { *h = append(*h, "alive") }
func (h *heard) Pong(_ *Conn, p wire.Ping) { *h = append(*h, fmt.Sprintf("pong %d", p.ID)) }
func (h *heard) Resume(*Conn)              { *h = append(*h, "resume") }
func (h *heard) Introduced(_ wire.PeerID, m []byte) error {
	limits := wire.Default()
	if x, err := wire.ConsumeIntroduction(m, &limits); err != nil || len(x.Receives) == 0 {
		return errors.Join(err, errSilent)
	}
	return nil
}

// errSilent is the error of an introduction without classes.
var errSilent = errors.New("it names no classes")

// deadStream is a stream without input.
type deadStream struct{ Stream }

func (deadStream) Close() error { return nil }

// newTestConn returns a connection over a stream, whose mailbox nobody empties.
func newTestConn(t *testing.T, to Receiver, s Stream, hello wire.Hello, dialed bool) *Conn {
	t.Helper()
	sh := &Shared{Limits: limits.Default(), Times: DefaultTimes(), Began: time.Now(), Mail: mailbox.New(), Ctx: t.Context()}
	return New(sh, to, &Account{}, s, conversation.NewFrames(s, time.Minute), hello, dialed)
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
		"introductions":   {[][]byte{hello, wire.AppendIntroduction(nil, &wire.Introduction{})}, nil, errSilent},
		"no such stream":  {[][]byte{wire.AppendParallel(nil, wire.Parallel{Stream: 3})}, nil, runtime.ErrProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			s := pipeStream{undated{near}}
			var to heard
			c := newTestConn(t, &to, s, wire.Hello{}, false)
			c.asked.Store(1)
			var b []byte
			for _, m := range tt.messages {
				b = conversation.AppendFrame(b, m)
			}
			go func() {
				far.Write(b)
				far.Close()
			}()
			err := c.Run()
			c.shared.Mail.Run()
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

// TestChunkSizes: values are sent in chunks that the other end takes.
func TestChunkSizes(t *testing.T) {
	own := wire.Default().Chunk
	for most, want := range map[uint64]int{0: own, 1 << 10: 1 << 10, uint64(own): own, 1 << 62: own} {
		if c := newTestConn(t, nil, deadStream{}, wire.Hello{MaxFill: most}, false); c.chunk != want {
			t.Errorf("to a peer that takes %d bytes chunks have %d, want %d", most, c.chunk, want)
		}
	}
}
