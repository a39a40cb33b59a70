package target_test

import (
	"testing"

	"github.com/bbgen/bbgen/ir/target"
)

// TestDerived shows what follows from the caches and the speed of a target. A machine that does not tell its caches has
// those of the default target.
func TestDerived(t *testing.T) {
	other := target.Target{Cores: 4, Caches: []target.Cache{{Level: 1, Bytes: 64 << 10}}, Limits: target.Default.Limits, Peer: target.Peer{Rate: 40e9}}
	for _, c := range []struct {
		target                        *target.Target
		chained, stored, kept, inline int
		rate                          float64
	}{
		{target.Default, 4096, 65536, 262144, 1e6, 20e9},
		{&other, 8192, 65536, 262144, 2e6, 160e9},
	} {
		if got := c.target.Chained(); got != c.chained {
			t.Errorf("chains begin at %d elements, want %d", got, c.chained)
		}
		if got := c.target.Stored(); got != c.stored {
			t.Errorf("weights are stored in 16 bits from %d elements on, want %d", got, c.stored)
		}
		if got := c.target.Kept(); got != c.kept {
			t.Errorf("%d floats stay in the cache, want %d", got, c.kept)
		}
		if got := c.target.Inline(); got != int64(c.inline) {
			t.Errorf("the engine waits for %d operations, want %d", got, c.inline)
		}
		if got := c.target.Rate(); got != c.rate {
			t.Errorf("a peer has the rate %g, want %g", got, c.rate)
		}
	}
	if target.Or(nil) != target.Default || target.Or(&other) != &other {
		t.Error("the default target does not stand for none alone")
	}
}
