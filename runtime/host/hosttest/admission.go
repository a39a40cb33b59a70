package hosttest

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// An invitation admits one peer, once, with its class.
func testJoin(t *testing.T, k *kit) {
	state := t.TempDir()
	s := start(t, k.server(2, 1, []float64{8, -3}), "-state", state, "-listen", k.listen, "-await", "client=1")
	s.addresses()
	expired := invited(t, k.client(0), state, "client", "-valid", "1ms")
	time.Sleep(time.Second) // a token's time has whole seconds
	start(t, k.client(0), "-join", expired)
	s.awaitRefused(peer.ErrInvitation)

	once := invited(t, k.client(0), state, "client")
	own := t.TempDir()
	client := k.client(1)
	partition := client.Partition
	client.Partition = func(env runtime.Env) (*runtime.Partition, error) {
		if env.Data == nil || env.Rank != 0 {
			return nil, fmt.Errorf("data %v, rank %d", env.Data, env.Rank)
		}
		return partition(env)
	}
	first := start(t, client, "-join", once, "-state", own, "-data", t.TempDir())
	if l := first.awaitKind("started"); l.Peer != "client-0" {
		t.Errorf("the invitation makes it %s, want client-0: the first one is good for nothing", l.Peer)
	}
	l := s.await("the second round", func(l peer.Line) bool { return l.Kind == "emitted" && l.Round == 2 })
	first.end()

	// Another peer may not use it; its holder can return with it or without it, with its rank and its data.
	used(t, k, s, once)
	for _, args := range [][]string{{"-state", own, "-join", once}, {"-state", own}} {
		back := start(t, client, args...)
		back.awaitKind("peer up")
		back.end()
	}
	if l.Error != "" {
		t.Error(l.Error)
	}
}

// used checks that a peer is refused that joins s with an invitation of another one, and does not try again.
func used(t *testing.T, k *kit, s *node, invitation string) {
	t.Helper()
	again := start(t, k.client(1), "-join", invitation)
	again.awaitKind("started")
	s.await("used twice", func(l peer.Line) bool { return l.Kind == "refused" && strings.Contains(l.Error, "used") })
	code := <-again.ended
	again.ended <- code
	if want := "-join: the peer refuses: no such invitation: it may have been used or have expired: ask for another one\n"; code != 1 || !strings.Contains(again.stderr.String(), want) {
		t.Errorf("it ends with %d: %swant 1: %s", code, &again.stderr, want)
	}
}

// A peer without a state directory whose clock was ahead in its last run is admitted again.
func testAhead(t *testing.T, k *kit) {
	h := k.attack(t)
	c := h.dial(h.tr, peer.EnvelopeStream)
	hello := h.hello()
	hello.Incarnation += uint64(time.Hour)
	c.send(wire.AppendHello(nil, &hello))
	if c.receive() == nil {
		t.Fatal("an honest hello is refused")
	}
	c.Close()
	h.tr.Close()
	m := peer.Member{ID: h.pongID(), Class: "pong", Addresses: h.pong.addresses()}
	ping := start(t, k.program(handmade.Ping(1), invoke("ping", []float64{1, 2})), "-key", h.key, "-peers", peersFile(t, m))
	ping.await("the answer", func(l peer.Line) bool { return l.Kind == "emitted" })
}

// A bare address is refused, unless the user trusts the peer that answers there.
func testTrustFirst(t *testing.T, k *kit) {
	key, m := member(t, "client", 0)
	s := start(t, k.server(1, 1, []float64{8, -3}), "-listen", k.listen, "-peers", peersFile(t, m))
	at := string(s.addresses()[0])
	no := start(t, k.client(0), "-key", key, "-join", at)
	if code := <-no.ended; code == 0 || !strings.Contains(no.stderr.String(), "-trust-first") {
		t.Errorf("exit code %d, %s", code, &no.stderr)
	}
	no.ended <- 1
	before, _, _ := strings.Cut(at, "/p2p/")
	start(t, k.client(0), "-key", key, "-join", before, "-trust-first")
	s.await("the round", func(l peer.Line) bool { return l.Kind == "emitted" })
}

// The first peer that answers is trusted when it can be recorded, and not before: the peer waits while the disk
// is full.
func testTrustLater(t *testing.T, k *kit) {
	serverKey, m := member(t, "server", 0)
	key, c := member(t, "client", 0)
	tr := k.bareKey(t, serverKey, true) // where it will listen
	at, _, _ := strings.Cut(string(tr.Addresses()[0]), "/p2p/")
	tr.Close()
	state := t.TempDir()
	client := start(t, k.client(0), "-key", key, "-state", state, "-join", at, "-trust-first")
	client.addresses()
	list := filepath.Join(state, "peers.json")
	if err := os.Mkdir(list, 0o700); err != nil { // where nothing can be written
		t.Fatal(err)
	}
	s := start(t, k.server(1, 1, []float64{8, -3}), "-key", serverKey, "-listen", at, "-peers", peersFile(t, c))
	s.awaitKind("peer down")
	if err := os.Remove(list); err != nil {
		t.Fatal(err)
	}
	s.await("the round", func(l peer.Line) bool { return l.Kind == "emitted" })
	if b, err := os.ReadFile(list); err != nil || !strings.Contains(string(b), m.ID.String()) {
		t.Errorf("the server is not written down: %s %v", b, err)
	}
}

// hears returns what a component does with the statement that a peer exists, and is at these addresses.
func hears(m peer.Member, list ...string) func(*runtime.Node) error {
	return func(n *runtime.Node) error {
		if err := n.Allow(runtime.PeerConfig{ID: m.ID, Class: m.Class}); err != nil {
			return err
		}
		return n.InsertAddress(m.ID, list...)
	}
}

// Statements of other peers that components receive are used: peers that are admitted at run time are dialed
// and accepted without configuration. Addresses that lead nowhere or to another peer only cost time, and never
// replace configured ones.
func testHearsay(t *testing.T, k *kit) {
	pingKey, ping := member(t, "ping", 0)
	pongKey, pong := member(t, "pong", 0)
	tr := k.bareKey(t, pongKey, true) // where it will listen
	at := string(tr.Addresses()[0])
	tr.Close()
	before, _, _ := strings.Cut(at, "/p2p/")
	other, _ := k.bare(t, true) // another peer at an address of the first one
	lies := []string{"/ip4/127.0.0.1/tcp/1", "/not/an/address"}
	for _, a := range other.Addresses() {
		where, _, _ := strings.Cut(string(a), "/p2p/")
		lies = append(lies, where)
	}
	begin := func(hear func(*runtime.Node) error) func(*runtime.Node) error {
		return func(n *runtime.Node) error {
			if len(n.Address(n.Self())) > 0 {
				t.Errorf("it listens nowhere, and is told to be at %v", n.Address(n.Self()))
			}
			return errors.Join(hear(n), invoke("ping", []float64{1, 2})(n))
		}
	}
	listens := func(n *runtime.Node) error {
		if got := n.Address(n.Self()); !slices.Contains(got, wire.Address(at)) {
			t.Errorf("it listens at %s, and is told to be at %v", at, got)
		}
		return hears(ping)(n)
	}
	start(t, k.program(handmade.Pong(), listens), "-key", pongKey, "-listen", before).addresses()
	last := func(l peer.Line) bool { return l.Kind == "emitted" && fmt.Sprint(l.Value) == "[11 12]" }
	first := start(t, k.program(handmade.Ping(10), begin(hears(pong, append([]string{at}, lies...)...))), "-key", pingKey)
	first.await("the last value", last)
	first.end()

	pong.Addresses = []wire.Address{wire.Address(at)}
	flooded := func(n *runtime.Node) error { return n.InsertAddress(pong.ID, wrongAddresses()...) }
	start(t, k.program(handmade.Ping(10), begin(flooded)), "-key", pingKey, "-peers", peersFile(t, pong)).await("the last value", last)
}

// wrongAddresses returns a hundred addresses where nobody listens.
func wrongAddresses() (list []string) {
	for port := range 100 {
		list = append(list, fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", port+1))
	}
	return list
}

// Secrets cannot be guessed, even if the name of the invitation is known; of several peers with the same
// invitation, one is admitted.
func testGuesses(t *testing.T, k *kit) {
	state := t.TempDir()
	s := start(t, k.server(1, 1, []float64{8, -3}), "-state", state, "-listen", k.listen, "-await", "client=1")
	addresses := s.addresses()
	invitation := invited(t, k.client(0), state, "client")
	limits := wire.Default()
	token, err := peer.ParseToken(invitation, &limits)
	if err != nil {
		t.Fatal(err)
	}
	name := sha256.Sum256(token.Secret)
	id, _ := addresses[0].Peer()
	tr, _ := k.bare(t, false)
	bounded(t, 32<<20, func() {
		for i := range 60 {
			guess := make([]byte, 40)
			rand.Read(guess)
			if i%2 == 0 {
				copy(guess, name[:8])
			}
			st, err := tr.Dial(t.Context(), id, addresses, peer.EnvelopeStream)
			if err != nil {
				t.Fatal(err)
			}
			c := &talk{t, st, bufio.NewReader(st)}
			c.send(wire.AppendHello(nil, &wire.Hello{Protocol: wire.Protocol, Fingerprint: k.client(0).Fingerprint, Classes: []string{"client"},
				Incarnation: 1, JoinProof: guess}))
			theirs, err := wire.ConsumeHello(c.receive(), &limits)
			if err != nil || !strings.Contains(theirs.Refusal, peer.ErrInvitation.Error()) {
				t.Fatalf("guess %d: %q, %v", i, theirs.Refusal, err)
			}
			c.Close()
		}
	})
	s.awaitRefused(peer.ErrInvitation)
	for i := range 3 {
		start(t, k.client(i), "-join", invitation)
	}
	s.await("the round", func(l peer.Line) bool { return l.Kind == "emitted" })
	if in := s.met(); len(in) != 1 {
		t.Errorf("%v came in with one invitation", in)
	}
}

// met returns the peers that have connected to a node.
func (s *node) met() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := map[string]bool{}
	for _, l := range s.lines {
		if l.Kind == "peer up" {
			in[l.From] = true
		}
	}
	return in
}
