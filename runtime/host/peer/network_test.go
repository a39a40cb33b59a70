package peer_test

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/host/hosttest"
	"github.com/bbgen/bbgen/runtime/host/tcp"
)

// TestNetwork runs peers in this process over the loopback: they trust, join, exchange values, and refuse what hostile
// ones send.
func TestNetwork(t *testing.T) { hosttest.Quick(t, tcp.New, "/ip4/127.0.0.1/tcp/0") }
