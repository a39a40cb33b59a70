package enginetest

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestWaitText shows the text for an execution that waits for peers.
func TestWaitText(t *testing.T) {
	name := func(wire.PeerID) string { return "server-0" }
	w := runtime.Wait{Module: "server", Cut: "clients", Kind: runtime.EventCut, Exec: wire.ExecID{Number: 2}, Class: "client", Have: 3, Least: 4}
	if got, want := w.Text(2e9, name), "clients of server: 3 of 4 clients are up, execution 2 of server-0, for 2s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	w.Class = ""
	if got := w.Text(2e9, name); !strings.HasPrefix(got, "event clients of server, execution 2") {
		t.Errorf("got %q", got)
	}
}
