package hosttest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// old is a peer that writes envelopes as bytesandbrains 0.3 does, and asks an oracle.
type old struct {
	*hostile
	edge runtime.Edge
}

// connect exchanges Hellos with the oracle.
func (o *old) connect() *talk {
	o.t.Helper()
	c := o.dial(o.tr, peer.EnvelopeStream)
	p := handmade.Asker()
	hello := wire.Hello{Protocol: wire.Protocol, Fingerprint: p.Fingerprint, Classes: []string{p.Class}, Incarnation: uint64(time.Now().UnixNano())}
	c.send(wire.AppendHello(nil, &hello))
	limits := wire.Default()
	if theirs, err := wire.ConsumeHello(c.receive(), &limits); err != nil || theirs.Refusal != "" {
		o.t.Fatalf("the hello is refused: %v %s", err, theirs.Refusal)
	}
	return c
}

// ask sends a question with the number of a request.
func (o *old) ask(c *talk, request uint64, suffix []byte, x float64) {
	fill := wire.SlotFill{Suffix: suffix, Type: o.edge.Type, Payload: tensor.Raw([]float64{x, 1})}
	c.send(handmade.OldEnvelope(o.id, o.oracle(), request, []wire.SlotFill{fill}))
}

func (o *old) oracle() wire.PeerID {
	id, _ := o.pong.addresses()[0].Peer()
	return id
}

// hears reads until the answer to a request comes, and checks it. It acknowledges nothing.
func (o *old) hears(c *talk, request uint64, x float64) {
	o.t.Helper()
	limits := wire.Default()
	for {
		var e wire.Envelope
		b := c.receive()
		switch {
		case b == nil:
			o.t.Fatalf("the stream ends before the answer to request %d", request)
		case wire.IsPing(b):
			continue
		}
		if err := wire.ConsumeEnvelope(&e, b, &limits); err != nil {
			o.t.Fatal(err)
		}
		if e.Request != (wire.Correlation{Kind: wire.Response, ID: request}) {
			if len(e.Fills) > 0 && e.Request.ID > request {
				o.t.Errorf("an answer to %+v, want one to request %d", e.Request, request)
			}
			continue
		}
		if got := e.Fills[0].Payload; !slices.Equal(got, tensor.Raw([]float64{x + 1, 2})) {
			o.t.Errorf("the answer to request %d is %x", request, got)
		}
		return
	}
}

// count returns how often a peer has given its host a question that begins with a number.
func (n *node) count(x float64) (times int) {
	for _, v := range n.emitted() {
		if strings.HasPrefix(v, fmt.Sprintf("[%v ", x)) {
			times++
		}
	}
	return times
}

// An oracle answers a peer that writes envelopes as bytesandbrains 0.3 does, beside one of this version, while connections
// break and the oracle starts again. Each question counts once; what is for a component, or names no request, is refused.
func testOld(t *testing.T, k *kit) {
	oracleKey, oracle := member(t, "oracle", 0)
	newKey, newer := member(t, "asker", 0)
	oldKey, m := member(t, "asker", 1)
	state := t.TempDir()
	run := func(listen string) *node {
		return start(t, k.program(handmade.Oracle(), nil), "-key", oracleKey, "-peers", peersFile(t, newer, m), "-listen", listen, "-state", state)
	}
	first := run(k.listen)
	oracle.Addresses = first.addresses()
	o := &old{&hostile{t: t, tr: k.bareKey(t, oldKey, false), id: m.ID, pong: first}, handmade.Asker().Edges[0]}
	site := wire.AppendSite(nil, o.edge.ID)
	beside := start(t, k.program(handmade.Asker(), invoke("asker", []float64{100, 1}, []float64{101, 1})), "-key", newKey, "-peers", peersFile(t, oracle), "-state", t.TempDir())

	c := o.connect()
	for i := range uint64(3) {
		o.ask(c, i+1, site, float64(i))
		o.ask(c, i+1, site, float64(i)) // again
		o.hears(c, i+1, float64(i))
	}
	o.ask(c, 4, site, 3)
	c.Close() // without having read the answer
	c = o.connect()
	o.ask(c, 1, []byte("\xe3\x01\x00\x00\x00\x07\xe4\x01\x03add"), 50) // /component/7/op/add
	first.awaitRefused(runtime.ErrNoEdge)
	o.ask(c, 2, site, 4)
	o.hears(c, 2, 4)
	o.ask(c, 0, site, math.Pi)
	c.ended()
	first.awaitRefused(runtime.ErrNoExec)
	beside.await("both answers", func(peer.Line) bool { return beside.answers("[101 2]", "[102 2]") })
	first.await("the last question", func(peer.Line) bool { return first.answers("[4 1]", "[101 1]") })
	first.await("the notice of the last question", func(l peer.Line) bool {
		return l.Kind == "published" && l.Name == "oracle.heard" && fmt.Sprint(l.Value) == "[4 1]"
	})
	for x := range 5 {
		if n := first.count(float64(x)); n != 1 && x != 3 || n > 1 {
			t.Errorf("question %d counts %d times", x, n)
		}
	}
	if first.count(50)+first.count(math.Pi) > 0 {
		t.Error("a refused envelope has an effect")
	}
	first.end()

	at, _, _ := strings.Cut(string(oracle.Addresses[0]), "/p2p/")
	o.asksAgain(run(at), site)
}

// asksAgain checks that a request number may be used again after the restart of the oracle, which has heard nothing
// since.
func (o *old) asksAgain(second *node, site []byte) {
	o.t.Helper()
	o.pong = second
	second.addresses()
	second.meets("asker-0")
	c := o.connect()
	o.ask(c, 1, site, 5)
	o.hears(c, 1, 5)
	second.await("the question", func(peer.Line) bool { return second.answers("[5 1]") })
	if second.count(5) != 1 || second.count(0)+second.count(100) > 0 {
		o.t.Errorf("after its restart the oracle has heard %v", second.emitted())
	}
}

// answers reports whether a peer has given its host some answers. Its lock is held.
func (n *node) answers(want ...string) bool {
	for _, w := range want {
		if !slices.ContainsFunc(n.lines, func(l peer.Line) bool { return l.Kind == "emitted" && fmt.Sprint(l.Value) == w }) {
			return false
		}
	}
	return true
}

// A server reaches its clients where they have told it that they listen, when their connections break and they cannot dial
// it any more.
func testPlaces(t *testing.T, k *kit) {
	const rounds, clients = 150, 2
	params := []float64{8, -3}
	serverKey, server := member(t, "server", 0)
	keys, states, others := make([]string, clients), make([]string, clients), make([]peer.Member, clients)
	for i := range others {
		states[i] = t.TempDir()
		keys[i], others[i] = member(t, "client", i)
	}
	s := start(t, k.server(rounds, clients, params), "-key", serverKey, "-peers", peersFile(t, others...), "-listen", k.listen, "-chaos", "delay=2ms", "-once")
	known := server
	known.Addresses = s.addresses()
	run := func(i int, listen string, m peer.Member) *node {
		return start(t, k.client(i), "-key", keys[i], "-rank", fmt.Sprint(i), "-peers", peersFile(t, m), "-listen", listen, "-state", states[i])
	}
	first := run(0, k.listen, known)
	run(1, k.listen, known)
	at, _, _ := strings.Cut(string(first.addresses()[0]), "/p2p/")
	s.await("a few rounds", func(l peer.Line) bool { return l.Kind == "emitted" && l.Round >= 3 })
	first.end()
	if n := len(s.emitted()); n == rounds {
		t.Skip("all rounds have ended before the client could be stopped")
	}
	again := run(0, at, server) // it knows the server's key, and not its address
	again.meets("server-0")
	l := s.await("the last round", func(l peer.Line) bool { return l.Kind == "emitted" && l.Round == rounds })
	if want := hash(handmade.Rounds(params, rounds, clients)); l.Hash != want {
		t.Errorf("the model is %s, want %s", l.Hash, want)
	}
	s.awaitKind("ended")
}
