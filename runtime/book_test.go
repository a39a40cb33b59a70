package runtime

import (
	"errors"
	"slices"
	"testing"

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
			got, want := shares.CheckHealth(testPeer(i)), told.CheckHealth(testPeer(i))
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
