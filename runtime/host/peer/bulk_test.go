package peer

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// promises is a ping that sends large values to a pong.
type promises struct {
	*stranger
	pong *station
	self trust.Member
	c    *conversationWith // envelopes
	bulk *conversationWith
}

// bulkSize is the size of each payload, and bulkChunk that of the chunks in which it comes.
const (
	bulkSize  = 3 << 20
	bulkChunk = 1 << 20
)

// newPromises starts a pong, and connects a ping to it, on both streams.
func newPromises(t *testing.T, change func(h *host), args ...string) *promises {
	t.Helper()
	n := newLAN()
	_, ping := newKeyFile(t, "ping", 0)
	x := &promises{self: ping}
	x.pong = n.run(t, handmade.Pong(), []trust.Member{ping}, append(args, "-listen", string(lanAddress(1)))...)
	if change != nil {
		x.pong.see(change)
	}
	x.stranger = n.newStranger(t, ping.ID, "ping", handmade.Ping(1))
	x.connect(t)
	return x
}

func (x *promises) connect(t *testing.T) {
	t.Helper()
	x.c = x.dial(lanAddress(1), EnvelopeStream)
	x.c.hearHello(t)
	go x.c.answerPings(time.Hour)
	x.bulk = x.dial(lanAddress(1), BulkStream)
	x.bulk.hearHello(t)
}

// promise announces a payload of an execution, both with a number.
func (x *promises) promise(number uint64, b wire.Bulk) {
	edge := handmade.Pong().Edges[0]
	fill := wire.SlotFill{Suffix: wire.AppendSite(nil, edge.ID), Type: edge.Type, Bulk: b, Dims: []uint64{b.Size / 8}}
	e := wire.Envelope{Exec: wire.ExecID{Origin: x.id, Incarnation: 1, Number: number}, Seq: number, Fills: []wire.SlotFill{fill}}
	x.c.say(wire.AppendEnvelope(nil, &e))
}

// asked waits for a request for a payload, or for more of it.
func (x *promises) asked(t *testing.T) wire.Ack {
	t.Helper()
	b, err := x.bulk.hear()
	if err != nil {
		t.Fatalf("it is not asked for: %v", err)
	}
	a, err := wire.ConsumeAck(b)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// send sends a payload from an offset to an end.
func (x *promises) send(id, from, to uint64) {
	data := make([]byte, bulkChunk)
	for at := from; at < to; at += bulkChunk {
		x.bulk.say(wire.AppendChunk(nil, &wire.Chunk{Bulk: id, Offset: at, Data: data}))
	}
}

func payloadOf(id uint64) wire.Bulk {
	return wire.Bulk{ID: id, Size: bulkSize, CRC: wire.CRC(make([]byte, bulkSize))}
}

// TestBulkWaits: a payload for which there is no place is asked for when another one has left its place.
func TestBulkWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := disktest.New()
		dir := filepath.Join(t.TempDir(), "values")
		x := newPromises(t, func(h *host) {
			var err error
			if h.spool, err = spool.New(disk, dir, 1, h.log); err != nil { // one file at a time
				t.Error(err)
			}
		})
		x.promise(1, payloadOf(1))
		x.promise(2, payloadOf(2))
		if a := x.asked(t); a.Bulk != 1 || a.Offset != 0 || a.Credit < bulkChunk {
			t.Fatalf("it asks for %+v, want the first payload", a)
		}
		x.send(1, 0, bulkSize)
		for {
			a := x.asked(t)
			if a.Bulk == 2 {
				break
			}
			if a.Offset == bulkSize {
				pass(time.Second) // its place is free, and the next pings come
			}
		}
		x.send(2, 0, bulkSize)
		pass(time.Second)
		x.pong.see(func(h *host) {
			if n := h.node.Stats().Live; n != 0 {
				t.Errorf("%d executions wait for payloads", n)
			}
		})
	})
}

// TestBulkResumes: a payload that was interrupted is asked for from where it was, on the next connection; if the
// sender was started anew, from its beginning.
func TestBulkResumes(t *testing.T) {
	for name, anew := range map[string]bool{"the same peer": false, "started anew": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newPromises(t, nil)
				x.promise(1, payloadOf(1))
				x.asked(t)
				x.send(1, 0, bulkChunk)
				pass(time.Second)
				x.bulk.Close()
				pass(time.Second)
				if down := x.pong.events.lines(t, "peer down"); len(down) != 1 {
					t.Fatalf("the connection has ended %d times, want with its bulk stream", len(down))
				}
				want := uint64(bulkChunk)
				if anew {
					x.hello.Incarnation++
					want = 0
				}
				x.connect(t)
				x.promise(1, payloadOf(1))
				if a := x.asked(t); a.Bulk != 1 || a.Offset != want {
					t.Errorf("it asks for %+v, want it from %d", a, want)
				}
			})
		})
	}
}

// TestBulkWrong: what a peer may not say on a bulk stream ends its connection, and costs no execution of others.
func TestBulkWrong(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(x *promises)
		want string
	}{
		"an unasked chunk": {func(x *promises) { x.send(9, 0, bulkChunk) }, "not requested"},
		"nonsense":         {func(x *promises) { x.bulk.say([]byte{0xff, 0xff}) }, ""},
		"too large":        {func(x *promises) { x.bulk.Write([]byte{0xff, 0xff, 0xff, 0x7f}) }, ""},
		"an ack of nothing": {func(x *promises) {
			x.bulk.say(wire.AppendAck(nil, wire.Ack{Bulk: 7, Credit: 1})) // a request for what there is not: no harm
			x.bulk.Close()
		}, ""},
		"a payload above the limit": {func(x *promises) { x.promise(1, wire.Bulk{ID: 1, Size: 1 << 60}) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newPromises(t, nil)
				go c.do(x)
				pass(time.Second)
				down := x.pong.events.lines(t, "peer down")
				if len(down) != 1 {
					t.Fatalf("the connection has ended %d times, want once", len(down))
				}
				if log := x.pong.log.String(); !strings.Contains(log, c.want) {
					t.Errorf("the log does not say %s: %s", c.want, log)
				}
				x.hello.Incarnation++
				pass(maxRest)
				x.connect(t)
			})
		})
	}
}

// TestBulkStreamBelongs: a bulk stream belongs to the present connection of the same process, and there is one.
func TestBulkStreamBelongs(t *testing.T) {
	h := newPagesHost(t)
	l := h.links[testID(2)]
	connectTo(t, h, l)
	c := l.conn
	frames := conversation.NewFrames(deadStream{}, 0)
	for name, change := range map[string]func() (undo func(), theirs wire.Hello){
		"another process":       func() (func(), wire.Hello) { return func() {}, wire.Hello{Incarnation: 2} },
		"an earlier connection": func() (func(), wire.Hello) { l.conn = nil; return func() { l.conn = c }, c.Hello },
		"a second one":          func() (func(), wire.Hello) { l.bulk = &connection.Bulk{}; return func() { l.bulk = nil }, c.Hello },
	} {
		undo, theirs := change()
		closed := 0
		if err := h.attach(l, c, closingStream{closed: &closed}, frames, theirs); !errors.Is(err, runtime.ErrProtocol) || closed != 1 {
			t.Errorf("%s: %v, and the stream is closed %d times", name, err, closed)
		}
		undo()
	}
	// The end that was dialed waits for the stream; the one that has dialed opens it once.
	if h.openBulk(l); l.opening {
		t.Error("the end that was dialed opens the bulk stream")
	}
}

// TestLoadFails: a received value whose file cannot be read costs its execution, not the peer.
func TestLoadFails(t *testing.T) {
	h := newPagesHost(t)
	x := newHanging(errors.New("a bad sector"))
	close(x.gate)
	h.load(testID(2), x)
	<-x.released
	if !h.Ask(func() {}) || h.err != nil {
		t.Errorf("the host has ended: %v", h.err)
	}
}

// hanging is a value in a file whose disk answers when the test closes gate.
type hanging struct {
	wire.Blob
	gate     chan struct{}
	fails    error
	refs     int // used by the loop
	released chan struct{}
}

func newHanging(fails error) *hanging {
	return &hanging{wire.Bytes("a large value"), make(chan struct{}), fails, 1, make(chan struct{})}
}

func (x *hanging) Bytes() []byte { return nil }
func (x *hanging) Retain()       { x.refs++ }

func (x *hanging) Release() {
	if x.refs--; x.refs == 0 {
		close(x.released)
	}
}

func (x *hanging) ReadAt(p []byte, at int64) (int, error) {
	<-x.gate
	if x.fails != nil {
		return 0, x.fails
	}
	return x.Blob.ReadAt(p, at)
}

// A disk that does not answer does not stop the loop. The value is released when it was read, or could not be.
func TestLoadBesideTheLoop(t *testing.T) {
	for _, fails := range []error{nil, io.ErrUnexpectedEOF} {
		h := newPagesHost(t)
		x := newHanging(fails)
		if !h.Ask(func() { h.load(testID(2), x) }) || !h.Ask(func() {}) {
			t.Error("the loop has ended")
		}
		close(x.gate)
		<-x.released
	}
}
