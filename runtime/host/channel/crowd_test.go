package channel

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// crowd is a network in which each connection comes from an address of its own, as through a broker.
type crowd struct{ loopback }

func (crowd) Listen(wire.Address) ([]Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	return []Listener{&crowdListener{listener: listener{l}}}, err
}

type crowdListener struct {
	listener
	n atomic.Int64
}

func (l *crowdListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return connFrom{Conn: c, host: fmt.Sprint("host-", l.n.Add(1))}, nil
}

// counter counts messages with a text.
type counter struct {
	slog.Handler
	text string
	n    *atomic.Int64
}

func (c counter) Enabled(context.Context, slog.Level) bool { return true }

func (c counter) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, c.text) {
		c.n.Add(1)
	}
	return nil
}

func newCrowd(t *testing.T, handshakes int, timeout time.Duration) (x peer.Transport, dropped *atomic.Int64) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	dropped = &atomic.Int64{}
	x, err = New(peer.TransportConfig{Key: key, Listen: []wire.Address{"/here"}, Log: slog.New(counter{slog.DiscardHandler, "dropped", dropped}),
		Handshakes: handshakes, HandshakeTimeout: timeout}, crowd{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x, dropped
}

// More peers than there are places for handshakes come at once: all get in at their first attempt.
func TestCrowd(t *testing.T) {
	x, dropped := newCrowd(t, 2, time.Hour)
	const peers = 24
	var all sync.WaitGroup
	for range peers {
		all.Go(func() {
			y := newTransport(t, 8, time.Minute)
			if _, err := y.Dial(t.Context(), wire.PeerID{}, x.Addresses(), peer.EnvelopeStream); err != nil {
				t.Error(err)
			}
		})
	}
	for range peers {
		if _, err := x.Accept(); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	if n := dropped.Load(); n > 0 {
		t.Errorf("%d handshakes were dropped for others", n)
	}
}

// A connection takes the place of another one at once if an address has more than half of the places. Otherwise
// it waits until the oldest has had a part of the time for a handshake.
func TestPlaces(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		hosts string
		ages  []time.Duration
		late  bool
		out   int // the index of the connection that loses its place; -1: none
	}{
		{"abc", []time.Duration{0, 0, 0}, false, -1},
		{"abcd", []time.Duration{9 * time.Minute, time.Minute, 0, 0}, true, -1},
		{"abcd", []time.Duration{16 * time.Minute, time.Minute, 0, 0}, false, 0},
		{"aabb", []time.Duration{0, 0, 0, 0}, true, -1},
		{"abbb", []time.Duration{16 * time.Minute, 0, 0, 0}, false, 1},
	} {
		x := &transport{config: peer.TransportConfig{Handshakes: 4, HandshakeTimeout: time.Hour}, open: map[net.Conn]bool{}}
		for i, h := range tt.hosts {
			c, _ := net.Pipe()
			x.early = append(x.early, early{c, string(h), now.Add(-tt.ages[i])})
		}
		before := slices.Clone(x.early)
		c, _ := net.Pipe()
		wait, ok := x.enter(early{c, "new", now})
		out := slices.IndexFunc(before, func(e early) bool { return !slices.Contains(x.early, e) })
		if ok == tt.late || wait > 0 != tt.late || out != tt.out || slices.ContainsFunc(x.early, func(e early) bool { return e.Conn == c }) != ok {
			t.Errorf("%s of ages %v: it enters: %v, after %v; connection %d goes, want %d", tt.hosts, tt.ages, ok, wait, out, tt.out)
		}
	}
}
