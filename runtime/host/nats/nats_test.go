package nats_test

import (
	"os"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade/kills"
	"github.com/bbgen/bbgen/runtime/host/hosttest"
	"github.com/bbgen/bbgen/runtime/host/nats"
	"github.com/bbgen/bbgen/runtime/host/nats/internal/hub"
)

func TestMain(m *testing.M) {
	kills.Main(nats.New)
	os.Exit(m.Run())
}

// startHub starts a broker for a test.
func startHub(t testing.TB, port int) *hub.Hub {
	t.Helper()
	h, err := hub.Start(port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return h
}

func TestTransport(t *testing.T) { hosttest.Run(t, nats.New, string(startHub(t, 0).Address())) }
