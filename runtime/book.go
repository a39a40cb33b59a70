package runtime

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/wire"
)

// An AddressBook holds admitted peers that many Nodes of one process share. It never changes. A Node makes an
// entry of its own for a peer of the book only when it communicates with that peer.
type AddressBook struct {
	list []seat // by class and rank: a peer is in the list of each of its classes
	at   container.Table[wire.PeerID, int]
}

// seat is a peer in one of its classes.
type seat struct {
	PeerConfig
	class string
}

// NewAddressBook returns a book of peers.
func NewAddressBook(peers []PeerConfig) (*AddressBook, error) {
	b := &AddressBook{list: make([]seat, 0, len(peers))}
	for _, c := range peers {
		if _, twice := b.at.Get(container.HashPeer(c.ID), c.ID); twice || c.ID.IsZero() {
			return nil, fmt.Errorf("runtime: peer %v stands in the book twice, or is none", c.ID)
		}
		b.at.Put(container.HashPeer(c.ID), c.ID, 0)
		for _, class := range classes.Split(c.Class) {
			b.list = append(b.list, seat{c, class})
		}
	}
	slices.SortFunc(b.list, func(c, d seat) int { return cmp.Or(cmp.Compare(c.class, d.class), c.compare(&d.PeerConfig)) })
	for i := range b.list {
		b.at.Put(container.HashPeer(b.list[i].ID), b.list[i].ID, i)
	}
	return b, nil
}

// class returns the peers of a class.
func (b *AddressBook) class(class string) []seat {
	if b == nil {
		return nil
	}
	from, _ := slices.BinarySearchFunc(b.list, class, func(s seat, class string) int {
		if s.class < class {
			return -1
		}
		return 1
	})
	to := from
	for to < len(b.list) && b.list[to].class == class {
		to++
	}
	return b.list[from:to]
}

// find returns the entry of a peer in the book, or nil.
func (b *AddressBook) find(id wire.PeerID) *PeerConfig {
	if b == nil {
		return nil
	}
	i, ok := b.at.Get(container.HashPeer(id), id)
	if !ok {
		return nil
	}
	return &b.list[i].PeerConfig
}
