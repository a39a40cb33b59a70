package hosttest

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"log/slog"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

var quiet = slog.New(slog.DiscardHandler)

// hash returns the hash of a vector in a line of events.
func hash(x []float64) string {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// hostile is a client of a pong that sends arbitrary messages with the key of a ping.
type hostile struct {
	t    testing.TB
	tr   peer.Transport
	id   wire.PeerID
	key  string // the file of its key
	pong *node
	edge struct{ x, y runtime.Edge }
}

// attack starts a pong and a hostile client with the key of an admitted ping.
func (k *kit) attack(t testing.TB, args ...string) *hostile {
	t.Helper()
	return k.attackers(t, handmade.Pong(), 1, args...)[0]
}

// attackers starts a pong and a number of hostile clients with keys of admitted pings.
func (k *kit) attackers(t testing.TB, p *runtime.Partition, n int, args ...string) (list []*hostile) {
	t.Helper()
	var admitted []peer.Member
	for rank := range n {
		file, m := member(t, "ping", rank)
		h := &hostile{t: t, tr: k.bareKey(t, file, false), id: m.ID, key: file}
		h.edge.x, h.edge.y = p.Edges[0], p.Edges[1]
		list, admitted = append(list, h), append(admitted, m)
	}
	pong := start(t, k.program(p, nil), append([]string{"-peers", peersFile(t, admitted...), "-listen", k.listen}, args...)...)
	for _, h := range list {
		h.pong = pong
	}
	return list
}

func (h *hostile) hello() wire.Hello {
	return wire.Hello{Protocol: wire.Protocol, Fingerprint: handmade.Pong().Fingerprint, Classes: []string{"ping"}, Incarnation: uint64(time.Now().UnixNano()),
		MaxEnvelope: 1 << 20, MaxFill: 1 << 20}
}

// talk is a stream to the pong.
type talk struct {
	t testing.TB
	peer.Stream
	r *bufio.Reader
}

func (h *hostile) dial(tr peer.Transport, p peer.Protocol) *talk {
	h.t.Helper()
	addresses := h.pong.addresses()
	id, _ := addresses[0].Peer()
	s, err := tr.Dial(h.t.Context(), id, addresses, p)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { s.Close() })
	return &talk{h.t, s, bufio.NewReader(s)}
}

func (c *talk) send(message []byte) {
	c.SetWriteDeadline(time.Now().Add(patience))
	c.Write(append(wire.AppendLength(nil, len(message)), message...)) // a closed stream is detected by reads
}

// receive reads a message; it returns nil when the stream has ended.
func (c *talk) receive() []byte {
	c.t.Helper()
	c.SetReadDeadline(time.Now().Add(patience))
	b, err := c.next()
	if err == nil {
		return b
	}
	if isTimeout(err) {
		c.t.Fatal("the stream does not end")
	}
	return nil
}

// next reads a message.
func (c *talk) next() ([]byte, error) {
	size, err := binary.ReadUvarint(c.r)
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	_, err = io.ReadFull(c.r, b)
	return b, err
}

// meet exchanges Hellos, when the hostile client need not wait any more.
func (h *hostile) meet() *talk {
	h.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		c := h.dial(h.tr, peer.EnvelopeStream)
		hello := h.hello()
		c.send(wire.AppendHello(nil, &hello))
		limits := wire.Default()
		theirs, err := wire.ConsumeHello(c.receive(), &limits)
		switch {
		case err == nil && theirs.Refusal == "":
			return c
		case err != nil || !strings.Contains(theirs.Refusal, peer.ErrRest.Error()) || time.Now().After(end):
			h.t.Fatalf("an honest hello is refused: %v %s", err, theirs.Refusal)
		}
		c.Close()
	}
}

// ended checks that the stream ends, after any further messages.
func (c *talk) ended() {
	c.t.Helper()
	for end := time.Now().Add(patience); c.receive() != nil; {
		if time.Now().After(end) {
			c.t.Fatal("the stream does not end, and there are always more messages")
		}
	}
}

// alive checks that the pong still serves honest peers.
func (h *hostile) alive() {
	h.t.Helper()
	c := h.meet()
	c.send(h.ask(1, uint64(time.Now().UnixNano()), func(*wire.Envelope) {}))
	if n := c.answers(h, 1); n != 1 {
		h.t.Errorf("%d answers", n)
	}
	c.Close()
}

// ask returns an envelope with the fill x of an execution, changed by f.
func (h *hostile) ask(seq, number uint64, f func(*wire.Envelope)) []byte {
	x := wire.SlotFill{Suffix: wire.AppendSite(nil, h.edge.x.ID), Type: h.edge.x.Type, Payload: make([]byte, 8), Dims: []uint64{1}}
	e := wire.Envelope{Exec: wire.ExecID{Origin: h.id, Incarnation: 1, Number: number}, Seq: seq, Fills: []wire.SlotFill{x}}
	f(&e)
	return wire.AppendEnvelope(nil, &e)
}

// answers reads until a number of distinct executions are answered, and returns the total number of fills.
func (c *talk) answers(h *hostile, executions int) (fills int) {
	limits := wire.Default()
	seen := map[wire.ExecID]bool{}
	for end := time.Now().Add(patience); len(seen) < executions; {
		var e wire.Envelope
		b := c.receive()
		if b == nil {
			c.t.Fatalf("the stream ends after %d answers", fills)
		}
		if wire.IsPing(b) {
			if time.Now().After(end) {
				c.t.Fatalf("there is nothing but pings after %d answers", fills)
			}
			continue
		}
		if err := wire.ConsumeEnvelope(&e, b, &limits); err != nil {
			c.t.Fatal(err)
		}
		fills += len(e.Fills)
		if len(e.Fills) > 0 {
			seen[e.Exec] = true
			c.send(wire.AppendEnvelope(nil, &wire.Envelope{Ack: e.Seq}))
		}
	}
	return fills
}

// A Hello that cannot be accepted is refused with the reason, on both sides.
func testHelloRefused(t *testing.T, k *kit) {
	h := k.attack(t)
	h.meet().Close()
	stranger, _ := k.bare(t, false)
	for _, tt := range []struct {
		name string
		tr   peer.Transport
		f    func(*wire.Hello)
		want error
	}{
		{"no permission", stranger, func(*wire.Hello) {}, runtime.ErrUnknownPeer},
		{"claimed class", h.tr, func(x *wire.Hello) { x.Classes = []string{"server"} }, runtime.ErrClass},
		{"foreign program", h.tr, func(x *wire.Hello) { x.Fingerprint = []byte("another") }, runtime.ErrProgram},
		{"protocol", h.tr, func(x *wire.Hello) { x.Protocol = 99 }, runtime.ErrProtocol},
		{"old incarnation", h.tr, func(x *wire.Hello) { x.Incarnation = 1 }, runtime.ErrIncarnation},
		{"made-up proof", stranger, func(x *wire.Hello) { x.JoinProof = make([]byte, 40) }, peer.ErrInvitation},
	} {
		c := h.dial(tt.tr, peer.EnvelopeStream)
		hello := h.hello()
		tt.f(&hello)
		c.send(wire.AppendHello(nil, &hello))
		c.send(h.ask(1, 1, func(*wire.Envelope) {})) // it is not read
		limits := wire.Default()
		theirs, err := wire.ConsumeHello(c.receive(), &limits)
		if err != nil || !strings.Contains(theirs.Refusal, tt.want.Error()) {
			t.Errorf("%s: got %q, %v; want %v", tt.name, theirs.Refusal, err, tt.want)
		}
		c.ended()
		h.pong.awaitRefused(tt.want)
	}
	bulk := h.dial(h.tr, peer.BulkStream) // without an envelope stream
	hello := h.hello()
	bulk.send(wire.AppendHello(nil, &hello))
	bulk.ended()
	h.alive()
}

// The first message must be a Hello.
func testNoHello(t *testing.T, k *kit) {
	h := k.attack(t)
	for name, b := range map[string][]byte{
		"an envelope":  append(wire.AppendLength(nil, 40), make([]byte, 40)...),
		"too long":     binary.AppendUvarint(nil, 1<<40),
		"no length":    []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
		"another page": []byte("GET / HTTP/1.1\r\n\r\n" + strings.Repeat("x", 100)),
	} {
		c := h.dial(h.tr, peer.EnvelopeStream)
		c.Write(b)
		c.ended()
		if t.Failed() {
			t.Fatal(name)
		}
	}
	h.pong.awaitRefused(peer.ErrNoHello)
	h.alive()
}

// A peer that sends nothing, or stops in the middle, is disconnected after some time.
func testSlow(t *testing.T, k *kit) {
	h := k.attack(t, "-patience", "300ms")
	silent := h.dial(h.tr, peer.EnvelopeStream)
	hello := h.hello()
	half := h.dial(h.tr, peer.EnvelopeStream)
	half.Write(append(wire.AppendLength(nil, 100), wire.AppendHello(nil, &hello)[:10]...))
	silent.ended()
	half.ended()
	h.pong.awaitRefused(peer.ErrNoHello)

	c := h.meet()
	c.Write(append(wire.AppendLength(nil, 1<<20), make([]byte, 100)...))
	c.ended()
	h.alive()
}

// A repeated fill has no effect, neither in the same envelope number nor in another.
func testReplay(t *testing.T, k *kit) {
	h := k.attack(t)
	c := h.meet()
	c.send(h.ask(1, 1, func(*wire.Envelope) {}))
	c.send(h.ask(1, 1, func(*wire.Envelope) {}))
	c.send(h.ask(2, 1, func(*wire.Envelope) {}))
	c.send(h.ask(3, 2, func(*wire.Envelope) {}))
	if n := c.answers(h, 2); n != 2 {
		t.Errorf("%d answers to 2 executions", n)
	}
	c.Close()
	again := h.meet() // on another connection
	again.send(h.ask(1, 1, func(*wire.Envelope) {}))
	again.send(h.ask(2, 3, func(*wire.Envelope) {}))
	if n := again.answers(h, 1); n != 1 {
		t.Errorf("%d answers to 1 execution", n)
	}
}

// An envelope must not have another peer as its sender.
func testForged(t *testing.T, k *kit) {
	_, other := k.bare(t, false)
	for name, f := range map[string]func(*wire.Envelope){
		"source": func(e *wire.Envelope) { e.Src = other },
		"address": func(e *wire.Envelope) {
			e.SrcAddrs = []wire.Address{wire.Address("/ip4/192.0.2.1/tcp/1/p2p/" + other.String())}
		},
	} {
		h := k.attack(t)
		c := h.meet()
		c.send(h.ask(1, 1, f))
		c.ended()
		h.pong.awaitRefused(runtime.ErrForged)
		if len(h.pong.emitted()) > 0 {
			t.Errorf("%s: it has an effect", name)
		}
	}
}

// Announced bytes cost no memory, and messages that are too large are not read.
func testOversized(t *testing.T, k *kit) {
	h := k.attack(t)
	debug.FreeOSMemory()
	before := heap()
	const many = 50
	for range many {
		c := h.meet()
		c.Write(wire.AppendLength(nil, wire.Default().Envelope)) // announced, and never sent
		c = h.meet()                                             // replaces the one before
		c.Write(wire.AppendLength(nil, wire.Default().Envelope+1))
		c.ended()
	}
	debug.FreeOSMemory()
	if grown := heap() - before; grown > many*wire.Default().Envelope/8 {
		t.Errorf("%d MiB are held for what was announced", grown>>20)
	}
	big := h.meet()
	big.send(h.ask(1, 1, func(e *wire.Envelope) { e.Fills[0].Payload = make([]byte, wire.Default().Fill+8) }))
	big.ended()
	h.pong.await("refused", func(l peer.Line) bool { return l.Kind == "refused" && strings.Contains(l.Error, "limit") })
	h.alive()
}

// A chunk that was not requested ends the connection.
func testUnasked(t *testing.T, k *kit) {
	h := k.attack(t)
	c := h.dial(h.tr, peer.EnvelopeStream)
	hello := h.hello()
	c.send(wire.AppendHello(nil, &hello))
	c.receive()
	bulk := h.dial(h.tr, peer.BulkStream)
	bulk.send(wire.AppendHello(nil, &hello))
	if bulk.receive() == nil {
		t.Fatal("the bulk stream is refused")
	}
	data := make([]byte, 1000)
	bulk.send(wire.AppendChunk(nil, &wire.Chunk{Bulk: 7, CRC: wire.CRC(data), Data: data}))
	bulk.ended()
	c.ended()

	// Nor are payloads fetched that the edge does not accept.
	c = h.meet()
	c.send(h.ask(1, 1, func(e *wire.Envelope) {
		e.Fills[0].Payload, e.Fills[0].Type = nil, 9
		e.Fills[0].Bulk = wire.Bulk{ID: 1, Size: 1 << 30}
	}))
	h.pong.await("refused", func(l peer.Line) bool { return l.Kind == "refused" && strings.Contains(l.Error, "type") })
	h.alive()
}

// heap returns how many bytes are in use.
func heap() int {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

func appendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}
