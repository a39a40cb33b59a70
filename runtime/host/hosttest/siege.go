package hosttest

import (
	"io"
	"net"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
	"github.com/bbgen/bbgen/runtime/wire/edgeid"
)

// sieges are attacks by quantity: their cost is bounded, they are ended with a reason, and honest peers are
// served meanwhile.
var sieges = []test{
	{"silent connections", testSilentConnections}, {"silent streams", testSilentStreams}, {"dripping hello", testDrippingHello},
	{"pings", testPings}, {"answers to no ping", testAnswers}, {"acknowledgements", testAcks}, {"questions for payloads", testAsks},
	{"chunks", testChunks}, {"promises", testPromises}, {"files", testFiles}, {"fills", testFills}, {"nonsense", testNonsense},
	{"executions", testExecutions}, {"executions that nobody completes", testNotOpen}, {"finished executions", testFinished}, {"guessed invitations", testGuesses},
	{"answers in vain", testWaste},
}

// bounded checks that f retains at most limit bytes of memory, on both ends together.
func bounded(t testing.TB, limit int, f func()) {
	t.Helper()
	before := inUse()
	f()
	if grown := inUse() - before; grown > limit {
		t.Errorf("%d KiB are kept, want at most %d", grown>>10, limit>>10)
	}
}

// inUse returns how many bytes of the heap are in use.
func inUse() int {
	var m goruntime.MemStats
	goruntime.GC()
	goruntime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// says waits for a line whose error has a reason.
func (n *node) says(why error) {
	n.t.Helper()
	n.await(why.Error(), func(l peer.Line) bool { return strings.Contains(l.Error, why.Error()) })
}

// pour writes the same bytes repeatedly, at most times times, until the stream accepts no more.
func (c *talk) pour(b []byte, times int) {
	for range times {
		c.SetWriteDeadline(time.Now().Add(patience))
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

// frames repeats a message until there are some KiB.
func frames(message []byte) []byte {
	one := append(wire.AppendLength(nil, len(message)), message...)
	var all []byte
	for len(all) < 64<<10 {
		all = append(all, one...)
	}
	return all
}

// A client that opens connections without proving a key blocks no other peer, or not for longer than a
// handshake may take. Then they are closed.
func testSilentConnections(t *testing.T, k *kit) {
	if !strings.Contains(k.listen, "/tcp/") {
		t.Skip("there are no connections to open halfway")
	}
	h := k.attack(t, "-patience", "1s")
	var ip, port string
	for _, a := range h.pong.addresses() {
		if p := strings.Split(string(a), "/"); len(p) == 7 && p[3] == "tcp" {
			ip, port = p[2], p[4]
		}
	}
	if port == "" {
		t.Skip("what listens at the address is a broker")
	}
	var silent []net.Conn
	bounded(t, 64<<20, func() {
		for i := range 500 {
			c, err := net.Dial("tcp", net.JoinHostPort(ip, port))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			silent = append(silent, c)
			if i%2 == 0 {
				c.Write([]byte("\x16\x03\x01\x02\x00\x01")) // the beginning of a handshake
			}
		}
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			if s, err := h.tr.Dial(t.Context(), h.pongID(), h.pong.addresses(), peer.EnvelopeStream); err == nil {
				s.Close()
				break
			}
		}
		h.alive()
	})
	for i, c := range silent {
		c.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.Copy(io.Discard, c); isTimeout(err) {
			t.Fatalf("connection %d of %d may be silent for ever", i, len(silent))
		}
	}
}

// A stranger with a key that opens silent streams blocks neither members nor, for long, other strangers.
func testSilentStreams(t *testing.T, k *kit) {
	h := k.attack(t, "-patience", "3s")
	stranger, _ := k.bare(t, false)
	addresses := h.pong.addresses()
	id, _ := addresses[0].Peer()
	bounded(t, 128<<20, func() {
		for range 400 {
			s, err := stranger.Dial(t.Context(), id, addresses, peer.EnvelopeStream)
			if err != nil {
				break // the transport has a limit of its own
			}
			t.Cleanup(func() { s.Close() })
		}
		for range 5 {
			h.alive()
		}
	})
	h.pong.awaitRefused(peer.ErrNoHello)
}

// A Hello must be complete in time, however steadily its bytes come.
func testDrippingHello(t *testing.T, k *kit) {
	h := k.attack(t, "-patience", "300ms")
	c := h.dial(h.tr, peer.EnvelopeStream)
	var left sync.WaitGroup
	left.Go(func() {
		c.Write(wire.AppendLength(nil, 16000))
		for range 16000 {
			if _, err := c.Write([]byte{8}); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Error("it may drip for ever")
	})
	c.ended()
	c.Close()
	left.Wait()
	h.pong.awaitRefused(peer.ErrNoHello)
	h.alive()
}

// Pings beyond the rate limit end the connection, and their sender must wait before the next one.
func testPings(t *testing.T, k *kit) {
	h := k.attack(t)
	bounded(t, 64<<20, func() {
		c := h.meet()
		go c.pour(frames(wire.AppendPing(nil, wire.Ping{ID: 1 << 60, Unix: 1 << 60})), 10000)
		h.pong.says(peer.ErrFlood)
		c.Close()
	})
	h.alive()
}

// Unrequested answers to pings end the connection.
func testAnswers(t *testing.T, k *kit) {
	h := k.attack(t)
	c := h.meet()
	c.pour(frames(wire.AppendPing(nil, wire.Ping{ID: 1, Answer: true})), 1)
	c.ended()
	h.pong.says(peer.ErrFlood)
	h.alive()
}

// Acknowledgements of messages that were not sent end the connection.
func testAcks(t *testing.T, k *kit) {
	h := k.attack(t)
	c := h.meet()
	c.send(wire.AppendEnvelope(nil, &wire.Envelope{Ack: 1 << 60}))
	c.ended()
	h.pong.awaitRefused(runtime.ErrAck)
	h.alive()
}

// Requests for unknown payloads cost only the time to read them.
func testAsks(t *testing.T, k *kit) {
	h := k.attack(t)
	bounded(t, 64<<20, func() {
		c, bulk := h.meetBulk()
		bulk.pour(frames(wire.AppendAck(nil, wire.Ack{Bulk: 9, Credit: 1 << 60})), 40)
		c.send(h.ask(1, 1, func(*wire.Envelope) {}))
		if n := c.answers(h, 1); n != 1 {
			t.Errorf("%d answers", n)
		}
		c.Close()
	})
	h.alive()
}

// meetBulk exchanges Hellos on both streams.
func (h *hostile) meetBulk() (c, bulk *talk) {
	h.t.Helper()
	c = h.dial(h.tr, peer.EnvelopeStream)
	hello := h.hello()
	c.send(wire.AppendHello(nil, &hello))
	if c.receive() == nil {
		h.t.Fatal("an honest hello is refused")
	}
	bulk = h.dial(h.tr, peer.BulkStream)
	bulk.send(wire.AppendHello(nil, &hello))
	if bulk.receive() == nil {
		h.t.Fatal("the bulk stream is refused")
	}
	return c, bulk
}

// promise returns an envelope with a payload that is to come in chunks.
func (h *hostile) promise(seq, number uint64, b wire.Bulk) []byte {
	return h.ask(seq, number, func(e *wire.Envelope) {
		e.Fills[0].Payload, e.Fills[0].Bulk, e.Fills[0].Dims = nil, b, []uint64{b.Size / 8}
	})
}

// Chunks that are not those announced end the connection, and are not used.
func testChunks(t *testing.T, k *kit) {
	data := make([]byte, 1000)
	for name, chunk := range map[string]wire.Chunk{
		"another payload":  {Bulk: 8, Data: data},
		"a gap":            {Bulk: 7, Offset: 1000, Data: data},
		"beyond its end":   {Bulk: 7, Data: make([]byte, 2008)},
		"before its start": {Bulk: 7, Offset: 1<<64 - 8, Data: data},
		"another sum":      {Bulk: 7, Data: append([]byte{1}, make([]byte, 1999)...)},
	} {
		h := k.attack(t)
		c, bulk := h.meetBulk()
		c.send(h.promise(1, 1, wire.Bulk{ID: 7, Size: 2000, CRC: wire.CRC(make([]byte, 2000))}))
		if bulk.receive() == nil {
			t.Fatalf("%s: the payload is not asked for", name)
		}
		bulk.send(wire.AppendChunk(nil, &chunk))
		bulk.ended()
		c.ended()
		h.alive()
		if t.Failed() {
			t.Fatal(name)
		}
	}
	h := k.attack(t)
	c, bulk := h.meetBulk()
	bulk.Write(wire.AppendLength(nil, 2<<20)) // larger than any chunk may be
	bulk.ended()
	c.ended()
	h.alive()
}

// Announced payloads cost no memory before they come. Together they are within the share of a peer in the files
// of a small machine.
func testPromises(t *testing.T, k *kit) {
	h := k.attack(t)
	bounded(t, 64<<20, func() {
		c, bulk := h.meetBulk()
		for i := range uint64(60) {
			c.send(h.promise(i+1, i+1, wire.Bulk{ID: i + 1, Size: 4 << 20}))
		}
		if bulk.receive() == nil {
			t.Fatal("no payload is asked for")
		}
		bulk.send(wire.AppendChunk(nil, &wire.Chunk{Bulk: 1, Data: make([]byte, 1<<20)}))
		time.Sleep(50 * time.Millisecond) // gives the other end time to handle it
		h.pong.awaitKind("peer up")
	})
	h.alive()
}

// Wrong fills, or too many, are refused, with their edge.
func testFills(t *testing.T, k *kit) {
	h := k.attack(t)
	for _, tt := range []struct {
		name, want string
		f          func(*wire.Envelope)
	}{
		{"dimensions", "ping.x", func(e *wire.Envelope) { e.Fills[0].Dims = []uint64{1<<31 - 1} }},
		{"more dimensions", "dynamic dimensions", func(e *wire.Envelope) { e.Fills[0].Dims = []uint64{1 << 30, 1 << 30} }},
		{"no edge", runtime.ErrNoEdge.Error(), func(e *wire.Envelope) { e.Fills[0].Suffix = wire.AppendSite(nil, 1) }},
		{"the other way", runtime.ErrNoEdge.Error(), func(e *wire.Envelope) { e.Fills[0].Suffix = wire.AppendSite(nil, h.edge.y.ID) }},
		{"never begun", runtime.ErrNotBegun.Error(), func(e *wire.Envelope) { e.Exec.Origin, e.Exec.Incarnation = h.pongID(), 1<<64-1 }},
		{"a million fills", "the limit is", func(e *wire.Envelope) { e.Fills = make([]wire.SlotFill, 1e6) }},
	} {
		c := h.meet()
		bounded(t, 32<<20, func() {
			c.send(h.ask(1, 100, tt.f))
			h.pong.await(tt.name, func(l peer.Line) bool { return l.Kind == "refused" && strings.Contains(l.Error, tt.want) })
		})
		c.Close()
		h.alive()
	}
}

func (h *hostile) pongID() wire.PeerID {
	id, _ := h.pong.addresses()[0].Peer()
	return id
}

// A peer that sends only malformed data is ignored for a while, and is told so.
func testNonsense(t *testing.T, k *kit) {
	h := k.attack(t)
	for range 30 {
		c := h.dial(h.tr, peer.EnvelopeStream)
		hello := h.hello()
		c.send(wire.AppendHello(nil, &hello))
		b := c.receive()
		if b == nil {
			continue // another connection replaced it
		}
		limits := wire.Default()
		theirs, err := wire.ConsumeHello(b, &limits)
		if err != nil {
			t.Fatal(err)
		}
		if theirs.Refusal != "" {
			if !strings.Contains(theirs.Refusal, runtime.ErrIgnored.Error()) {
				t.Errorf("it is refused because %s", theirs.Refusal)
			}
			h.pong.awaitRefused(runtime.ErrIgnored)
			return
		}
		c.send([]byte("nonsense"))
		c.ended()
	}
	t.Error("it may go on for ever")
}

// patientPong returns a pong that answers when it has a second vector, too.
func patientPong() *runtime.Partition {
	p := handmade.Pong()
	const port = "float64[?]"
	also := runtime.Edge{ID: edgeid.Edge(edgeid.Text("ping", "also", "pong", port)), Type: edgeid.Type(port), Name: "ping.also", From: "ping", Dims: 1,
		Receives: true, Module: 0, Cut: 1}
	p.Edges = append(p.Edges, also)
	m := &p.Modules[0]
	m.Cuts = append(m.Cuts, runtime.Cut{Kind: runtime.FillCut, Name: "also"})
	m.Blocks[0].Wait = 1<<0 | 1<<1
	return p
}

// asks returns the first fills of n executions, each in an envelope.
func (h *hostile) asks(n uint64) (b []byte) {
	for i := range n {
		m := h.ask(i+1, i+1, func(*wire.Envelope) {})
		b = append(append(b, wire.AppendLength(nil, len(m))...), m...)
	}
	return b
}

// Executions that are begun and never completed leave room for those of others.
func testExecutions(t *testing.T, k *kit) {
	p := patientPong()
	both := k.attackers(t, p, 2)
	bad, good := both[0], both[1]
	bounded(t, 256<<20, func() {
		c := bad.meet()
		go io.Copy(io.Discard, c)
		go c.Write(bad.asks(40_000)) // read slowly, if there are too many
		bad.pong.awaitRefused(runtime.ErrOverflow)
		honest := good.meet()
		honest.send(good.ask(1, 1, func(e *wire.Envelope) {
			also := e.Fills[0]
			also.Suffix = wire.AppendSite(nil, p.Edges[2].ID)
			e.Fills = append(e.Fills, also)
		}))
		if n := honest.answers(good, 1); n != 1 {
			t.Errorf("%d answers", n)
		}
	})
	dropped := bad.pong.await("what was left out", func(l peer.Line) bool { return l.Kind == "overflow" })
	if dropped.Name != "executions" {
		t.Errorf("%s overflows", dropped.Name)
	}
	bad.pong.wroteFew()
}

// wroteFew checks that frequent events are rarely written.
func (n *node) wroteFew() {
	n.t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.lines) > 2000 {
		n.t.Errorf("%d lines are written", len(n.lines))
	}
}

// Fills for executions that cannot be completed open none. Their sender is ignored for a while, and rounds
// continue.
func testNotOpen(t *testing.T, k *kit) {
	serverKey, server := member(t, "server", 0)
	hostileKey, bad := member(t, "client", 0)
	goodKey, good := member(t, "client", 1)
	p := k.program(handmade.Server(1, 1, int64(patience)), invoke("server", []float64{8, -3}))
	s := start(t, p, "-key", serverKey, "-peers", peersFile(t, bad, good), "-listen", k.listen, "-await", "client=1")
	server.Addresses = s.addresses()
	h := &hostile{t: t, tr: k.bareKey(t, hostileKey, false), id: bad.ID, pong: s}
	h.edge.x = handmade.Server(1, 1, 1).Edges[1]
	bounded(t, 64<<20, func() {
		c := h.dial(h.tr, peer.EnvelopeStream)
		hello := h.hello()
		hello.Fingerprint, hello.Classes = p.Fingerprint, []string{"client"}
		c.send(wire.AppendHello(nil, &hello))
		if c.receive() == nil {
			t.Fatal("an honest hello is refused")
		}
		go io.Copy(io.Discard, c)
		go c.Write(h.asks(40_000))
		s.awaitRefused(runtime.ErrNotOpen)
		start(t, k.client(1), "-key", goodKey, "-rank", "1", "-peers", peersFile(t, server))
		s.await("the round", func(l peer.Line) bool { return l.Kind == "emitted" })
	})
	s.mu.Lock()
	for _, l := range s.lines {
		if l.Kind == "overflow" {
			t.Errorf("%s overflows", l.Name)
		}
	}
	s.mu.Unlock()
	s.wroteFew()
}

// Fills for ended executions count as late, without further effect.
func testFinished(t *testing.T, k *kit) {
	h := k.attack(t)
	c := h.meet()
	c.send(h.ask(1, 1, func(*wire.Envelope) {}))
	c.answers(h, 1)
	bounded(t, 2<<20, func() {
		var b []byte
		for i := range uint64(3_000) { // read slowly, as they are useless
			m := h.ask(i+2, 1, func(*wire.Envelope) {})
			b = append(append(b, wire.AppendLength(nil, len(m))...), m...)
		}
		last := h.ask(3_002, 2, func(*wire.Envelope) {})
		go c.Write(append(append(b, wire.AppendLength(nil, len(last))...), last...))
		h.pong.await("late", func(l peer.Line) bool { return l.Kind == "late" && strings.Contains(l.Error, runtime.ErrLate.Error()) })
		if n := c.answers(h, 1); n != 1 {
			t.Errorf("%d answers", n)
		}
	})
	h.pong.wroteFew()
}
