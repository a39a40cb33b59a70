package interpret

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
	_ "github.com/bbgen/bbgen/ir/op/all"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// TestNamed: a node names the peers that the engine would, and other nodes name none. A class without peers has no peer
// that is next in turn.
func TestNamed(t *testing.T) {
	all := Peers{{"alpha", 0}, {"beta", 0}, {"beta", 1}}
	for _, c := range []struct {
		op, domain, class string
		want              []*Peer
	}{
		{"Peers", peer.SyscallDomain, "beta", all[1:]},
		{"AwaitPeers", peer.SyscallDomain, "alpha", all[:1]},
		{"PeerInTurn", peer.SyscallDomain, "beta", all[1:2]},
		{"PeerInTurn", peer.SyscallDomain, "gamma", nil},
		{"Self", peer.SyscallDomain, "", all[:1]},
		{"Clock", peer.SyscallDomain, "", nil},
		{"Relu", "", "", nil},
	} {
		n := &ir.Node{Op: c.op, Domain: c.domain, Attrs: ir.Attrs{{Name: "class", Value: c.class}}}
		got := List(all.Named(n, all[0]))
		if len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("%s of %q: %d peers are named, want %d", c.op, c.class, len(got), len(c.want))
		}
	}
}
