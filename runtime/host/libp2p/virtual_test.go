//go:build !noquic

package libp2p

import (
	"bytes"
	"crypto/ed25519"
	"io"
	"log/slog"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	"github.com/marcopolo/simnet"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// source is the address from which a simulated peer sends.
type source struct{ ip net.IP }

func (s *source) PreferredSourceIPForDestination(*net.UDPAddr) (net.IP, error) { return s.ip, nil }

// simulated opens a transport on a simulated network.
func simulated(t *testing.T, n *simnet.Simnet, link simnet.NodeBiDiLinkSettings, k ed25519.PrivateKey, at wire.Address) *transport {
	t.Helper()
	s := &source{}
	x, err := start(peer.TransportConfig{Key: k, Listen: []wire.Address{at}, Log: slog.New(slog.DiscardHandler), Handshakes: 8, HandshakeTimeout: 5 * time.Second},
		quicreuse.OverrideSourceIPSelector(func() (quicreuse.SourceIPSelector, error) { return s, nil }),
		quicreuse.OverrideListenUDP(func(_ string, at *net.UDPAddr) (net.PacketConn, error) {
			s.ip = at.IP
			return n.NewEndpoint(at, link), nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// In virtual time a megabyte over 20 Mbit/s takes the expected time: 0.42 s and a few round trips of 50 ms.
func TestVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &simnet.Simnet{LatencyFunc: simnet.StaticLatency(25 * time.Millisecond)}
		rate := simnet.LinkSettings{BitsPerSecond: 20e6}
		link := simnet.NodeBiDiLinkSettings{Downlink: rate, Uplink: rate}
		server := simulated(t, n, link, key(1), "/ip4/1.0.0.1/udp/8000/quic-v1")
		client := simulated(t, n, link, key(2), "/ip4/1.0.0.2/udp/8000/quic-v1")
		n.Start()
		defer func() {
			client.Close()
			server.Close()
			n.Close()
		}()
		got := make(chan []byte)
		go func() {
			s, err := server.Accept()
			if err != nil {
				t.Error(err)
				close(got)
				return
			}
			b, err := io.ReadAll(s)
			if err != nil {
				t.Error(err)
			}
			s.Close()
			got <- b
		}()
		want := bytes.Repeat([]byte{1, 2, 3, 4}, 1<<18)
		begin := time.Now()
		s, err := client.Dial(t.Context(), server.id, server.Addresses(), peer.EnvelopeStream)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Write(want); err != nil {
			t.Fatal(err)
		}
		s.(*stream).CloseWrite()
		if b := <-got; !bytes.Equal(b, want) {
			t.Errorf("%d bytes came, want %d", len(b), len(want))
		}
		if d := time.Since(begin); d < 420*time.Millisecond || d > 3*time.Second {
			t.Errorf("it took %v of virtual time", d)
		}
		s.Close()
	})
}
