package runtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/wire"
)

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

// Allow admits a peer, or changes its configuration. The execution state of a known peer is kept.
func (n *Node) Allow(c PeerConfig) error {
	if c.ID.IsZero() {
		return errors.New("runtime: a peer without id")
	}
	p := n.peer(c.ID)
	if p == nil {
		if others := n.peers.Len() - 1; others >= n.limits.Peers {
			return fmt.Errorf("runtime: peer %v: %w: there are %d others", c.ID, ErrOverflow, others)
		}
		n.welcome(c)
		return nil
	}
	n.roster = slices.DeleteFunc(n.roster, func(q *peer) bool { return q == p })
	n.countNear(p, -1)
	p.blocked = false
	n.insertPeer(p, c)
	return nil
}

// welcome makes an entry for a new peer.
func (n *Node) welcome(c PeerConfig) *peer {
	p := &peer{id: c.ID, index: len(n.byIndex)}
	n.byIndex = append(n.byIndex, p)
	n.down.Widen(len(n.byIndex))
	p.outbox = outbox.NewBox(&n.outbox, &p.uses)
	n.peers.Put(container.HashPeer(c.ID), c.ID, p)
	n.insertPeer(p, c)
	return p
}

// insertPeer inserts a peer into the roster.
func (n *Node) insertPeer(p *peer, c PeerConfig) {
	c.Addresses = slices.Clone(c.Addresses)
	p.PeerConfig = c
	n.countNear(p, 1)
	at, _ := slices.BinarySearchFunc(n.roster, p, (*peer).compare)
	n.roster = slices.Insert(n.roster, at, p)
	n.count(p)
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

// Peers appends the admitted peers of a class to list, by rank.
func (n *Node) Peers(list []wire.PeerID, class string) []wire.PeerID {
	n.eachOf(class, func(id wire.PeerID, p *peer) {
		if p == nil || !p.blocked {
			list = append(list, id)
		}
	})
	return list
}

// Peers appends the admitted peers of a class to list, by rank, such as the receivers of a value.
func (e *Engine) Peers(list []wire.PeerID, class string) []wire.PeerID {
	return e.node().Peers(list, class)
}

// PeerInTurn appends the admitted peer of a class that is next in turn for the execution of a frame.
// Consecutive executions of a peer get consecutive peers, connected or not, so that all callers get the same
// result.
func (e *Engine) PeerInTurn(list []wire.PeerID, f *Frame, class string) []wire.PeerID {
	return e.node().peerInTurn(list, f, class)
}

// peerInTurn appends the peer that is next in turn for the execution of a frame, see [Engine.PeerInTurn].
func (n *Node) peerInTurn(list []wire.PeerID, f *Frame, class string) []wire.PeerID {
	at := len(list)
	list = n.Peers(list, class)
	count := uint64(len(list) - at)
	if count == 0 {
		return list
	}
	turn := f.exec.Number
	if _, rank, ok := n.ClassOf(f.exec.Origin); ok { // different origins begin with different peers
		turn += uint64(rank)
	}
	list[at] = list[at+int(turn%count)]
	return list[:at+1]
}

// ClassOf returns the class of an admitted peer, and its rank in the class.
func (n *Node) ClassOf(id wire.PeerID) (class string, rank int, ok bool) {
	p := n.peer(id)
	if p == nil || p.blocked {
		return "", 0, false
	}
	return p.Class, p.Rank, true
}

// Address returns the addresses of a peer: those of its configuration and those that the program has recorded, then those
// at which the peer says that it can be dialed.
func (n *Node) Address(id wire.PeerID) []wire.Address {
	p := n.peer(id)
	switch {
	case p == nil:
		return nil
	case len(p.learned) == 0:
		return p.Addresses
	}
	return slices.Concat(p.Addresses, p.learned)
}

// learn records where a peer says that it can be dialed, in place of what it has said before. A dial proves who is there.
func (p *peer) learn(said []wire.Address, l *wire.Limits) {
	var list []wire.Address
	for _, a := range said {
		id, named := a.Peer()
		if !a.IsPlace() || !named && strings.Contains(string(a), "/p2p/") || named && id != p.id {
			continue
		}
		if len(list) < l.Addresses && !slices.Contains(list, a) && !slices.Contains(p.Addresses, a) {
			list = append(list, a)
		}
	}
	if list != nil {
		p.learned = list
	}
}

// places appends the addresses at which this peer can be dialed to list.
func (n *Node) places(list []wire.Address) []wire.Address {
	for _, a := range n.self.Addresses {
		if a.IsPlace() {
			list = append(list, a)
		}
	}
	return list
}

// census counts the peers that are connected and not blocked, by their classes, the node itself included. It is kept up
// to date, as programs ask for a number whenever one of thousands connects.
type census map[string]int

func (c census) add(class string, n int) {
	if class == "" {
		return
	}
	if c[class] += n; c[class] == 0 {
		delete(c, class)
	}
}

// count updates the census after a change of a peer.
func (n *Node) count(p *peer) {
	is := ""
	if p.connected && !p.blocked {
		is = p.Class
	}
	if is == p.counted {
		return
	}
	n.census.add(p.counted, -1)
	n.census.add(is, 1)
	p.counted = is
}

// CountConnected returns how many peers of a class are connected. The node itself counts as one.
func (n *Node) CountConnected(class string) int {
	have := 0
	for c, k := range n.census {
		if classes.Is(c, class) {
			have += k
		}
	}
	return have
}

// isDown reports whether a peer does not respond.
func (n *Node) isDown(p *peer) bool { return n.down.Has(p.index) }

// IsUp reports whether a peer has connected, and is not known to be down since.
func (n *Node) IsUp(id wire.PeerID) bool {
	p := n.peer(id)
	return p != nil && p.incarnation != 0 && !n.isDown(p)
}

// alive records a sign of life of a peer. What is read after the end of its channel is none: the peer may be gone, and would
// count as up for ever.
func (n *Node) alive(p *peer) {
	if !p.connected {
		return
	}
	if n.now > p.lastSeen {
		p.silence.Add(n.now - p.lastSeen)
		p.lastSeen = n.now
	}
	p.suspect = false
	if n.isDown(p) {
		n.queueEvent(Event{Kind: PeerUp, Peer: p.id})
		n.down.Remove(p.index)
	}
}
