package libp2p_test

import (
	"flag"
	"os"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade/kills"
	"github.com/bbgen/bbgen/runtime/host/libp2p"
)

var count = flag.Int("kills", 20, "how many peers are killed")

func TestMain(m *testing.M) {
	kills.Main(libp2p.New)
	os.Exit(m.Run())
}

// Peers with a state directory are killed at any moment, while they write values and snapshots: in the end the
// model is the same as without kills.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	kills.Compare(t, *count)
}
