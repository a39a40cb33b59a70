package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/inbox"
	"github.com/bbgen/bbgen/runtime/wire"
)

// PeerConfig admits a peer. Authentication is not permission: a peer that
// nobody has admitted is refused.
type PeerConfig struct {
	ID        wire.PeerID
	Class     string // see [classes.Split]
	Rank      int    // among the peers of its class; with the class it orders them, everywhere
	Addresses []wire.Address
}

// peer is what a Node knows of another one, or of itself.
type peer struct {
	PeerConfig
	id          wire.PeerID
	index       int // among all that the Node knows
	blocked     bool
	connected   bool
	dialling    bool
	waiting     bool // to be dialled again
	leased      bool // a timer runs for what it has opened: see lease.go
	hungUp      bool // the host was asked to close the channel: nothing more is heard on it
	paused      bool // the host has more for it than the channel takes
	down        bool
	suspect     bool
	incarnation uint64 // of the connection, from its Hello
	before      uint64 // the one that the snapshot knew from which the Node went on; 0: none

	intake *intake // nil: nothing waits to be read
	credit int     // operations; negative: its next turns pay for what was read of it
	inbox  inbox.Inbox
	outbox outbox

	maxEnvelope, maxFill int // bytes that it takes, from its Hello
	awaited              []*awaited

	// What it takes up of what is bounded for all: see [limits.InFairShare].
	frames    int   // that its fills have opened, and answers to what those have asked
	commands  int   // of those, that wait or run
	timers    int   // of those
	held      int   // bytes of payloads in those, in memory
	spooled   int64 // and in files, and of those that are fetched
	waitBytes int   // of envelopes that wait for bulk
	early     int   // bytes of envelopes that came before the bootstrap was over
	outBytes  int   // of payloads that it has not acknowledged
	finished  container.Fifo[*finishedBy]

	// The governor: failures in a row, and until when the peer is not heard.
	failures int
	deafTil  int64
	attempts int // to dial, in a row

	rtt      estimate
	silence  estimate // between signs of life
	lastSeen int64
}

// compare orders peers by rank and class, never by what they are called or when
// they came: so those that have a class in common stand in the order of their
// ranks, whatever else they are. PeerIDs break the ties of a careless configuration.
func (c *PeerConfig) compare(d *PeerConfig) int {
	if x := cmp.Or(cmp.Compare(c.Rank, d.Rank), cmp.Compare(c.Class, d.Class)); x != 0 {
		return x
	}
	return c.ID.Compare(d.ID)
}

// is reports whether the peer is of a class.
func (p *peer) is(class string) bool { return p.Class == class || classes.Is(p.Class, class) }

func (p *peer) compare(q *peer) int { return p.PeerConfig.compare(&q.PeerConfig) }

// Allow admits a peer, or changes what is known of one. A peer keeps its
// execution state when it is allowed again.
func (n *Node) Allow(c PeerConfig) error {
	if c.ID.IsZero() {
		return errors.New("runtime: a peer without id")
	}
	p := n.peer(c.ID)
	if p == nil {
		if n.peers.Len() >= n.limits.Peers {
			return fmt.Errorf("runtime: peer %v: %w: there are %d peers", c.ID, ErrOverflow, n.peers.Len())
		}
		n.welcome(c)
		return nil
	}
	n.roster = slices.DeleteFunc(n.roster, func(q *peer) bool { return q == p })
	p.blocked = false
	n.enrol(p, c)
	return nil
}

// welcome makes a peer of one that is not known yet.
func (n *Node) welcome(c PeerConfig) *peer {
	p := &peer{id: c.ID, index: n.peers.Len()}
	n.peers.Put(container.HashPeer(c.ID), c.ID, p)
	n.enrol(p, c)
	return p
}

// enrol puts a peer into the roster.
func (n *Node) enrol(p *peer, c PeerConfig) {
	c.Addresses = slices.Clone(c.Addresses)
	p.PeerConfig = c
	at, _ := slices.BinarySearchFunc(n.roster, p, (*peer).compare)
	n.roster = slices.Insert(n.roster, at, p)
}

// Block refuses all that a peer sends from now on, and sends nothing to it.
func (n *Node) Block(id wire.PeerID) {
	if p := n.peer(id); p != nil && p != n.self {
		p.blocked = true
		n.giveUp(p)
		n.setDown(p, ErrBlocked)
		n.endLease(p)
	}
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

// PeerInTurn appends the admitted peer of a class whose turn it is in the
// execution of a frame. Each execution of a peer has the next one's, whether that
// one is up or not: others that ask must be told the same.
func (n *Node) PeerInTurn(list []wire.PeerID, f *Frame, class string) []wire.PeerID {
	at := len(list)
	list = n.Peers(list, class)
	count := uint64(len(list) - at)
	if count == 0 {
		return list
	}
	turn := f.exec.Number
	if _, rank, ok := n.ClassOf(f.exec.Origin); ok { // several origins do not all begin with the same
		turn += uint64(rank)
	}
	list[at] = list[at+int(turn%count)]
	return list[:at+1]
}

// ClassOf returns the class of an admitted peer, and its rank in there.
func (n *Node) ClassOf(id wire.PeerID) (class string, rank int, ok bool) {
	p := n.peer(id)
	if p == nil || p.blocked {
		return "", 0, false
	}
	return p.Class, p.Rank, true
}

// Address says where a peer may be reached.
func (n *Node) Address(id wire.PeerID) []wire.Address {
	if p := n.peer(id); p != nil {
		return p.Addresses
	}
	return nil
}

// sender returns the peer that bytes come from, if it may be heard.
func (n *Node) sender(id wire.PeerID) (*peer, error) {
	p := n.peer(id)
	if p == nil {
		return nil, ErrUnknownPeer
	}
	return p, n.hears(p)
}

// hears says why a peer may not be heard, if so.
func (n *Node) hears(p *peer) error {
	switch {
	case p.blocked:
		return ErrBlocked
	case n.now < p.deafTil, p.hungUp:
		return ErrDeaf
	}
	return nil
}

// The governor and the back-off of peers that misbehave or do not answer.
const (
	tolerance  = 5    // failures in a row
	firstDelay = 10e6 // ns
	maxDelay   = 60e9 // ns
)

func backoff(attempt int) int64 {
	return min(firstDelay<<min(attempt, 32), int64(maxDelay))
}

// misbehaved counts a failure of a peer. After several in a row it is not heard
// for a while, which doubles with each more.
func (n *Node) misbehaved(p *peer) {
	p.failures++
	if p.failures < tolerance {
		return
	}
	p.deafTil = n.now + backoff(p.failures-tolerance)
	n.hangUp(p)
}

// hangUp has the channel to a peer closed. On one that loses envelopes there is
// no need: what was not read comes again.
func (n *Node) hangUp(p *peer) {
	if n.config.Resend == 0 && p.connected && !p.hungUp && p != n.self {
		p.hungUp = true
		n.out.Push(output{kind: Hangup, peer: p})
	}
}

// Check says why a peer that says hello would not be let in, if so, and changes
// nothing.
func (n *Node) Check(id wire.PeerID, hello *wire.Hello) error {
	p := n.peer(id)
	switch {
	case p == nil:
		return fmt.Errorf("peer %v: %w: invite it, or name it in -peers", id, ErrUnknownPeer)
	case p.blocked:
		return fmt.Errorf("peer %v: %w", id, ErrBlocked)
	case n.now < p.deafTil: // what it would send now would be lost
		return fmt.Errorf("peer %v: %w: %d ms more", id, ErrDeaf, (p.deafTil-n.now)/1e6+1)
	}
	if err := n.checkHello(p, hello); err != nil {
		return fmt.Errorf("peer %v: %w", id, err)
	}
	return nil
}

// Connected says that there is a channel to a peer, which said hello. All that
// it has not acknowledged is sent again.
func (n *Node) Connected(now int64, id wire.PeerID, hello *wire.Hello) error {
	n.advance(now)
	p := n.peer(id)
	if err := n.Check(id, hello); err != nil {
		return err
	}
	if p.down || p.incarnation == 0 {
		n.tell(Event{Kind: PeerUp, Peer: p.id})
	}
	isKnown := cmp.Or(p.incarnation, p.before) != 0
	isAnew := hello.Fresh && hello.Incarnation != cmp.Or(p.incarnation, p.before)
	p.incarnation, p.connected, p.dialling, p.attempts = hello.Incarnation, true, false, 0
	p.down, p.suspect, p.hungUp, p.paused, p.lastSeen = false, false, false, false, n.now
	p.silence, p.inbox = estimate{}, inbox.Inbox{}
	p.maxEnvelope, p.maxFill = bound(hello.MaxEnvelope, n.limits.Wire.Envelope), bound(hello.MaxFill, n.limits.Wire.Chunk)
	p.outbox.rewind()
	n.forget(p)
	if isAnew {
		n.forgot(p)
	}
	if isAnew && isKnown {
		n.beganAgain(p)
	}
	n.driveAll(p)
	n.schedule(p)
	n.peersCame()
	return nil
}

// Pause says that the channel to a peer takes no more for now. What goes to the
// peer waits, beside what Poll has promised already, until Resume or the next
// channel.
func (n *Node) Pause(id wire.PeerID) {
	if p := n.peer(id); p != nil {
		p.paused = true
	}
}

// Resume says that the channel to a peer takes more again.
func (n *Node) Resume(now int64, id wire.PeerID) {
	n.advance(now)
	if p := n.peer(id); p != nil && p.paused {
		p.paused = false
		n.schedule(p)
	}
}

// Disconnected says that the channel to a peer has gone. A peer whose process
// ended is known to be down at once.
func (n *Node) Disconnected(now int64, id wire.PeerID, err error) {
	n.advance(now)
	if p := n.peer(id); p != nil {
		p.connected, p.dialling, p.hungUp = false, false, false
		n.giveUp(p)
		n.setDown(p, err)
		n.retry(p)
		n.lease(p)
	}
}

// DialFailed says that a peer could not be reached. The Node asks again, less
// and less often, while it has something to send.
func (n *Node) DialFailed(now int64, id wire.PeerID, err error) {
	n.advance(now)
	if p := n.peer(id); p != nil && !p.connected {
		p.dialling = false
		n.setDown(p, err)
		n.retry(p)
		n.reweigh = n.reweigh || len(n.communicators) > 0 // it may count as lost now
	}
}

func (n *Node) retry(p *peer) {
	if !p.waiting {
		p.waiting = true
		n.deadlines.add(n, timer{at: n.now + backoff(p.attempts), kind: retryPeer, peer: p})
		p.attempts++
	}
}

// Alive says that a peer gave a sign of life that is no envelope, such as an
// answer to the host's ping.
func (n *Node) Alive(now int64, id wire.PeerID) {
	n.advance(now)
	if p := n.peer(id); p != nil && p.connected {
		n.alive(p)
	}
}

// Classes are those that a peer is of, see package classes.
func Classes(class string) []string { return classes.Split(class) }

// ClassOf is the class of a peer that is of several.
func ClassOf(list ...string) string { return classes.Join(list...) }

// IsClass reports whether a peer of a class is of another one, too: of all that that
// one names.
func IsClass(class, other string) bool { return classes.Is(class, other) }

// SharesClass reports whether peers of two classes are both of some class.
func SharesClass(a, b string) bool { return classes.Shares(a, b) }

// Ranks gives the peers of a program their ranks, see [classes.Ranks].
func Ranks(list []string, counts map[string]int) [][]int { return classes.Ranks(list, counts) }
