package kills_test

import (
	"flag"
	"os"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade/kills"
	"github.com/bbgen/bbgen/runtime/host/tcp"
)

var count = flag.Int("kills", 20, "how many peers are killed")

func TestMain(m *testing.M) {
	kills.Main(tcp.New)
	os.Exit(m.Run())
}

// TestKills kills peers with a state directory at any moment, while they write values and snapshots. The
// final model must be the same as without kills.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	kills.Compare(t, *count)
}
