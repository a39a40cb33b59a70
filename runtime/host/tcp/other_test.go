package tcp_test

import (
	"crypto/ed25519"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/wire"
)

// If the server at an address is no peer with this transport, the error says so.
func TestOtherProtocol(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err == nil {
			io.WriteString(c, "\x13/multistream/1.0.0\n")
			c.Close()
		}
	}()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := tcp.New(peer.TransportConfig{Key: key, Log: slog.New(slog.DiscardHandler), HandshakeTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_, err = x.Dial(t.Context(), peer.IDOf(key), []wire.Address{wire.Address("/ip4/127.0.0.1/tcp/" + port)}, peer.EnvelopeStream)
	if err == nil || !strings.Contains(err.Error(), "-host libp2p") {
		t.Errorf("got %v", err)
	}
}
