package peer

import (
	"bytes"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// writing is a stream that keeps what is written.
type writing struct {
	bytes.Buffer
	Stream
}

func (w *writing) Read(p []byte) (int, error)       { return w.Buffer.Read(p) }
func (w *writing) Write(p []byte) (int, error)      { return w.Buffer.Write(p) }
func (w *writing) SetWriteDeadline(time.Time) error { return nil }

// What is queued goes out whole and in order, whether it is written while more is
// queued or after that, and large payloads from where the node has them.
func TestOutQueue(t *testing.T) {
	for _, size := range []int{0, 100, runtime.Final - 1, runtime.Final, 3 << 20} {
		payload := make([]byte, size)
		for i := range payload {
			payload[i] = byte(i * i >> 8)
		}
		for _, late := range []bool{false, true} {
			q := newOutQueue()
			var s writing
			sent := 0
			ended := make(chan error)
			write := func() { ended <- q.write(&s, time.Minute, func(n int) { sent += n }) }
			if !late {
				go write()
			}
			var want []byte
			for i := range 20 {
				e := &wire.Envelope{Seq: uint64(i + 1), Exec: wire.ExecID{Origin: wire.PeerID{}, Incarnation: 1, Number: uint64(i)}}
				for range i % 3 {
					e.Fills = append(e.Fills, wire.SlotFill{Payload: payload, Dims: []uint64{uint64(i)}})
				}
				waits := q.send(e)
				want = wire.AppendEnvelope(wire.AppendLength(want, e.Size()), e)
				if late && waits != len(want) {
					t.Fatalf("%d bytes wait, want %d", waits, len(want))
				}
				ping := wire.AppendPing(nil, wire.Ping{ID: uint64(i + 1)})
				q.append(func(b []byte) []byte { return appendFrame(b, ping) })
				want = appendFrame(want, ping)
			}
			if q.close(); late {
				go write()
			}
			if err := <-ended; err != nil || !bytes.Equal(s.Bytes(), want) || sent != len(want) {
				t.Errorf("payloads of %d: %d bytes are written and %d told, want %d, or others: %v", size, s.Len(), sent, len(want), err)
			}
		}
	}
}
