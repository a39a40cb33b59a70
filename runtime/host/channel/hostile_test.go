package channel

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

func newTransport(t testing.TB, handshakes int, timeout time.Duration) *transport {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(peer.TransportConfig{Key: key, Listen: []wire.Address{"/here"}, Log: slog.New(slog.DiscardHandler),
		Handshakes: handshakes, HandshakeTimeout: timeout}, loopback{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x.(*transport)
}

// loopback is a network of this machine, whose addresses are those of package net.
type loopback struct{}

func (loopback) Listen(wire.Address) ([]Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	return []Listener{listener{l}}, err
}

func (loopback) Dial(_ context.Context, at wire.Address, _ wire.PeerID) (net.Conn, error) {
	return net.Dial("tcp", strings.TrimPrefix(string(at), "/"))
}

func (loopback) Close() error { return nil }

type listener struct{ net.Listener }

func (l listener) Addresses() []wire.Address {
	return []wire.Address{wire.Address("/" + l.Addr().String())}
}

func selfSigned(t *testing.T, key any, public any) tls.Certificate {
	t.Helper()
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, public, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// A client that violates the protocol gets no stream.
func TestHandshakeRefused(t *testing.T) {
	x := newTransport(t, 8, time.Minute)
	_, key, _ := ed25519.GenerateKey(rand.Reader)
	good, err := certificate(key)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	chain := good
	chain.Certificate = append(chain.Certificate, good.Certificate[0])
	_, stolen, _ := ed25519.GenerateKey(rand.Reader)
	forged := good
	forged.PrivateKey = stolen // not the key that the certificate names
	for name, f := range map[string]func(*tls.Config){
		"TLS 1.2":         func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS12, tls.VersionTLS12 },
		"no protocol":     func(c *tls.Config) { c.NextProtos = nil },
		"a web browser":   func(c *tls.Config) { c.NextProtos = []string{"h2", "http/1.1"} },
		"no certificate":  func(c *tls.Config) { c.Certificates = nil },
		"an ECDSA key":    func(c *tls.Config) { c.Certificates = []tls.Certificate{selfSigned(t, other, other.Public())} },
		"a chain":         func(c *tls.Config) { c.Certificates = []tls.Certificate{chain} },
		"another's proof": func(c *tls.Config) { c.Certificates = []tls.Certificate{forged} },
	} {
		c := config(good, x.config.Serves())
		f(c)
		conn, err := tls.Dial("tcp", x.listeners[0].Addr().String(), c)
		if err == nil { // in TLS 1.3 the client gets the error when it reads
			_, err = conn.Read(make([]byte, 1))
			conn.Close()
		}
		if err == nil {
			t.Errorf("%s: it is let in", name)
		}
	}
	select {
	case s := <-x.accepted:
		t.Errorf("a stream of %v", s.id)
	default:
	}
}

// A client that opens silent connections only loses its own: the oldest are closed, and an honest peer is
// served.
func TestSilentConnections(t *testing.T) {
	const room = 4
	x := newTransport(t, room, time.Hour)
	var silent []net.Conn
	for range 3 * room {
		c, err := net.Dial("tcp", x.listeners[0].Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		silent = append(silent, c)
	}
	for _, c := range silent[:2*room] {
		c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Fatal("it hears something")
		} else if e, ok := err.(net.Error); ok && e.Timeout() {
			t.Fatal("the oldest connection is kept")
		}
	}
	y := newTransport(t, room, time.Hour)
	go func() {
		if s, err := x.Accept(); err == nil {
			io.Copy(s, s)
		}
	}()
	s, err := y.Dial(t.Context(), peer.IDOf(x.config.Key), x.Addresses(), peer.EnvelopeStream)
	if err != nil {
		t.Fatal(err)
	}
	s.Write([]byte("a"))
	if _, err := io.ReadFull(s, make([]byte, 1)); err != nil {
		t.Error(err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.early) > room || len(x.open) > room+1 {
		t.Errorf("%d connections are open, %d of them unproven", len(x.open), len(x.early))
	}
}

// A handshake that does not end is aborted.
func TestSlowHandshake(t *testing.T) {
	x := newTransport(t, 4, 50*time.Millisecond)
	c, err := net.Dial("tcp", x.listeners[0].Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Write([]byte{22, 3, 1, 2, 0, 1}) // the beginning of a ClientHello
	c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("it is answered")
	} else if e, ok := err.(net.Error); ok && e.Timeout() {
		t.Error("it is waited for for ever")
	}
}
