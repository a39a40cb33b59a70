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

// peer returns the Node's entry of an admitted peer, or nil. It makes the entry if the peer is only in the
// book.
func (n *Node) peer(id wire.PeerID) *peer {
	if p := n.lastPeer; p != nil && p.id == id {
		return p
	}
	return n.lookUp(id)
}

func (n *Node) lookUp(id wire.PeerID) *peer {
	p, ok := n.peers.Get(container.HashPeer(id), id)
	if !ok {
		if c := n.config.Book.find(id); c != nil {
			p = n.welcome(*c)
		}
	}
	if p != nil {
		n.lastPeer = p
	}
	return p
}

// known reports whether the Node has an entry of its own for a peer.
func (n *Node) known(id wire.PeerID) bool {
	_, ok := n.peers.Get(container.HashPeer(id), id)
	return ok
}

// eachOf calls yield with each admitted peer of a class, by rank. p is nil for a peer that is only in the book.
func (n *Node) eachOf(class string, yield func(id wire.PeerID, p *peer)) {
	book := n.config.Book.class(class)
	next := func(until *PeerConfig) { // peers of the book before one of the roster
		for len(book) > 0 && (until == nil || book[0].compare(until) < 0) {
			if !n.known(book[0].ID) {
				yield(book[0].ID, nil)
			}
			book = book[1:]
		}
	}
	for _, p := range n.roster {
		if p.is(class) {
			next(&p.PeerConfig)
			yield(p.id, p)
		}
	}
	next(nil)
}
