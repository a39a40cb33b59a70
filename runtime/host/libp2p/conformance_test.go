package libp2p_test

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/host/hosttest"
	"github.com/bbgen/bbgen/runtime/host/libp2p"
)

// TestTransport runs the tests of transports over TCP.
func TestTransport(t *testing.T) { hosttest.Run(t, libp2p.New, "/ip4/127.0.0.1/tcp/0") }

// TestTransportQUIC runs the tests of transports over QUIC.
func TestTransportQUIC(t *testing.T) {
	hosttest.Run(t, libp2p.New, "/ip4/127.0.0.1/udp/0/quic-v1")
}
