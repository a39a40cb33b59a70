package interpret

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// TestNobodyInTurn checks that a class without peers has no peer that is next in turn, as in the engine.
func TestNobodyInTurn(t *testing.T) {
	n := &ir.Node{Op: "PeerInTurn", Attrs: ir.Attrs{{Name: "class", Value: "beta"}}}
	for peers, want := range map[*Peers]int{{{"alpha", 0}}: 0, {{"beta", 0}, {"beta", 1}}: 1} {
		if got := List(peers.Named(n, (*peers)[0])); len(got) != want {
			t.Errorf("of %d peers, %d are in turn, want %d", len(*peers), len(got), want)
		}
	}
}
