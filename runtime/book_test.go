package runtime

import (
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Node with peers from a book knows the same peers as a Node to which each was added. It has no entry of its
// own for peers with which it does not communicate.
func TestSharedBook(t *testing.T) {
	var list []PeerConfig
	for _, i := range []byte{9, 3, 1, 7, 5, 2, 8, 4, 6} {
		class := "odd"
		if i%2 == 0 {
			class = "even"
		}
		if i == 1 {
			class = "self"
		}
		list = append(list, PeerConfig{ID: testPeer(i), Class: class, Rank: int(20-i) / 4})
	}
	book, err := NewAddressBook(list)
	if err != nil {
		t.Fatal(err)
	}
	told := testNode(t, Config{Peers: list}, &Partition{})
	shares := testNode(t, Config{Book: book}, &Partition{})
	if len(shares.roster) != 1 {
		t.Errorf("%d peers of its own at the start, want the node alone", len(shares.roster))
	}
	for _, step := range []func(n *Node){
		func(*Node) {},
		func(n *Node) { n.Block(testPeer(4)) },
		func(n *Node) { n.Allow(PeerConfig{ID: testPeer(5), Class: "even", Rank: 0}) },
		func(n *Node) { n.Allow(PeerConfig{ID: testPeer(30), Class: "odd", Rank: 3}) },
		func(n *Node) { n.Allow(PeerConfig{ID: testPeer(4), Class: "odd", Rank: 1}) },
	} {
		step(told)
		step(shares)
		for _, class := range []string{"even", "odd", "self", "none"} {
			if got, want := shares.Peers(nil, class), told.Peers(nil, class); !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", class, got, want)
			}
		}
		for i := range byte(40) {
			got, want := shares.checkHealth(testPeer(i)), told.checkHealth(testPeer(i))
			if !errors.Is(got, errors.Unwrap(want)) {
				t.Errorf("peer %d: got %v, want %v", i, got, want)
			}
		}
	}
	if _, err := NewAddressBook(append(list, PeerConfig{ID: testPeer(9)})); err == nil {
		t.Error("a book has a peer twice")
	}
	if _, err := NewAddressBook([]PeerConfig{{ID: wire.PeerID{}}}); err == nil {
		t.Error("a book has a peer without id")
	}
}

// A peer is recorded at the places that it names last. Names of values and other peers are none.
func TestLearn(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	id := testPeer(2)
	if err := r.n.InsertAddress(id, "/ip4/192.0.2.1/tcp/1"); err != nil {
		t.Fatal(err)
	}
	say := func(list ...wire.Address) []wire.Address {
		r.n.peer(id).learn(list, &r.n.limits.Wire)
		return r.n.Address(id)
	}
	at := wire.Address("/dns/a.example/tcp/4001/p2p/" + id.String())
	none := []wire.Address{"/p2p/" + wire.Address(id.String()), at + "/site/7", "/ip4/192.0.2.1/tcp/2/p2p/" + wire.Address(testPeer(3).String()), "/ip4/192.0.2.1/tcp/2/p2p/other"}
	if got := say(append(none, "/ip4/192.0.2.1/tcp/1", at, at)...); !slices.Equal(got, []wire.Address{"/ip4/192.0.2.1/tcp/1", at}) {
		t.Errorf("learned %v", got)
	}
	if got := say(none...); len(got) != 2 {
		t.Errorf("what is no place has replaced one: %v", got)
	}
	var many []wire.Address
	for i := range 20 {
		many = append(many, wire.Address("/ip6/2001:db8::1/tcp/"+string(rune('a'+i))))
	}
	if got := say(many...); len(got) != 1+r.n.limits.Wire.Addresses || slices.Contains(got, at) {
		t.Errorf("learned %v", got)
	}
	if got, err := r.n.engine().LookupAddress(id); err != nil || got != "/ip4/192.0.2.1/tcp/1" {
		t.Errorf("the program gets %q, %v", got, err)
	}
	if err := r.n.InsertAddress(id, string(many[0])); err != nil || len(r.n.Address(id)) != 1+r.n.limits.Wire.Addresses {
		t.Errorf("%v; an address is there twice: %v", err, r.n.Address(id))
	}
}
