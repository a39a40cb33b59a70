package nats_test

import (
	"crypto/ed25519"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/bbgen/bbgen/internal/handmade/kills"
	"github.com/bbgen/bbgen/runtime/host/nats"
	"github.com/bbgen/bbgen/runtime/host/nats/internal/hub"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

const killed = 3 // peers

// Peers that are killed end with the same model as without kills.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	kills.CompareAt(t, killed, string(startHub(t, 0).Address()))
}

// The broker is killed repeatedly, and restarted: the model is the same as without that.
func TestBrokerReturns(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	o := kills.Options{Rounds: 12, State: true}
	h := startHub(t, 0)
	o.At = string(h.Address())
	want, err := kills.Run(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	times := 0
	o.Tell = func(n int) {
		if n%4 > 0 || n == o.Rounds {
			return
		}
		h.Stop()
		next, err := hub.Start(h.Port())
		if err != nil {
			t.Fatal(err)
		}
		h = next
		times++
	}
	got, err := kills.Run(t.TempDir(), o)
	h.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if got.Model != want.Model || times != 2 {
		t.Errorf("after the broker was killed %d times the model is %s, want %s", times, got.Model, want.Model)
	}
}

// open starts a transport, and closes it with the test.
func open(t *testing.T, config peer.TransportConfig) (peer.Transport, wire.PeerID) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	config.Key, config.Log = key, slog.New(slog.DiscardHandler)
	if config.HandshakeTimeout == 0 {
		config.HandshakeTimeout = time.Minute
	}
	x, err := nats.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x, peer.IDOf(key)
}

// echo makes a transport send received bytes back.
func echo(x peer.Transport) {
	for {
		s, err := x.Accept()
		if err != nil {
			return
		}
		go func() {
			io.Copy(s, s)
			s.Close()
		}()
	}
}

// answers reports whether a stream to a peer carries bytes both ways.
func answers(t *testing.T, y peer.Transport, to wire.PeerID, at []wire.Address) error {
	t.Helper()
	s, err := y.Dial(t.Context(), to, at, peer.EnvelopeStream)
	if err != nil {
		return err
	}
	defer s.Close()
	s.SetReadDeadline(time.Now().Add(time.Minute))
	text := strings.Repeat("0123456789abcdef", 1<<16) // more than a window
	go io.WriteString(s, text)
	got := make([]byte, len(text))
	if _, err := io.ReadFull(s, got); err != nil || string(got) != text {
		return fmt.Errorf("%d bytes are not what was sent: %w", len(got), err)
	}
	return nil
}

// A client that makes silent calls only loses its own, as the one with the most; calls to a missing listener
// fail at once.
func TestSilentCalls(t *testing.T) {
	h := startHub(t, 0)
	x, id := open(t, peer.TransportConfig{Listen: []wire.Address{h.Address()}, Handshakes: 8})
	go echo(x)
	nc, err := natsgo.Connect(fmt.Sprintf("nats://127.0.0.1:%d", h.Port()))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := nc.Subscribe("bbgen.of.silent.*", func(*natsgo.Msg) {}); err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		nc.PublishRequest("bbgen.listen."+id.String(), fmt.Sprintf("bbgen.of.silent.%d", i), []byte{'o', 0, 1, 0, 0})
	}
	for _, nonsense := range []string{"", "o", "o\x00", "x12345", "p"} {
		nc.PublishRequest("bbgen.listen."+id.String(), "bbgen.of.silent.0", []byte(nonsense))
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	y, _ := open(t, peer.TransportConfig{})
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		err := answers(t, y, id, x.Addresses())
		if err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	_, other := open(t, peer.TransportConfig{})
	if _, err := y.Dial(t.Context(), other, []wire.Address{h.Address()}, peer.EnvelopeStream); err == nil || !strings.Contains(err.Error(), "no listener at that address") {
		t.Errorf("a call to an unused address: got %v, want that there is no listener", err)
	}
}

// Another client of the broker that sends to a stream can only end the stream.
func TestForgedMessages(t *testing.T) {
	h := startHub(t, 0)
	x, id := open(t, peer.TransportConfig{Listen: []wire.Address{h.Address()}})
	y, _ := open(t, peer.TransportConfig{})
	nc, err := natsgo.Connect(fmt.Sprintf("nats://127.0.0.1:%d", h.Port()), natsgo.NoEcho())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	seen := make(chan string, 1<<16)
	if _, err := nc.Subscribe("bbgen.of.>", func(m *natsgo.Msg) {
		if strings.Contains(string(m.Data), "secret") {
			t.Error("the broker can read what goes over a stream")
		}
		seen <- m.Subject
	}); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	accepted := make(chan peer.Stream, 1)
	go func() {
		s, _ := x.Accept()
		accepted <- s
	}()
	s, err := y.Dial(t.Context(), id, x.Addresses(), peer.EnvelopeStream)
	if err != nil {
		t.Fatal(err)
	}
	theirs := <-accepted
	io.WriteString(s, "secret")
	got := make([]byte, 6)
	if _, err := io.ReadFull(theirs, got); err != nil {
		t.Fatal(err)
	}
	nc.Publish(<-seen, []byte("dsecret"))
	for n := len(seen); n > 0; n-- {
		nc.Publish(<-seen, []byte("dsecret"))
	}
	for _, end := range []peer.Stream{s, theirs} {
		end.SetReadDeadline(time.Now().Add(time.Minute))
		if n, err := end.Read(got); err == nil {
			t.Errorf("%d forged bytes are read", n)
		} else if e, ok := err.(net.Error); ok && e.Timeout() {
			t.Error("a forged message is passed over")
		}
	}
}
