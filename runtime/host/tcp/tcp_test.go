package tcp_test

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/host/hosttest"
	"github.com/bbgen/bbgen/runtime/host/tcp"
)

func TestTransport(t *testing.T) { hosttest.Run(t, tcp.New, "/ip4/127.0.0.1/tcp/0") }
