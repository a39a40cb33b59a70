package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/estimate"
	"github.com/bbgen/bbgen/runtime/internal/extremes"
	"github.com/bbgen/bbgen/runtime/internal/inbox"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/wire"
)

// PeerConfig admits a peer. Authentication is not permission: a peer that is not admitted is refused.
type PeerConfig struct {
	ID        wire.PeerID
	Class     string // see [classes.Split]
	Rank      int    // among the peers of its class; class and rank order peers in the same way everywhere
	Addresses []wire.Address
}

// peer is the Node's entry for another peer, or for itself.
type peer struct {
	PeerConfig
	id          wire.PeerID
	index       int // in Node.byIndex
	blocked     bool
	connected   bool
	dialing     bool
	waiting     bool // to be dialed again
	leased      bool // a lease timer runs for the executions that it has opened: see lease.go
	hungUp      bool // the host was asked to close the channel: its messages are ignored
	paused      bool // the channel accepts no more messages for now
	suspect     bool
	counted     string // the class in which [census] counts it; "": in none
	incarnation uint64 // of the connection, from its Hello
	before      uint64 // the incarnation in the snapshot from which the Node was restored; 0: none

	intake *intake // nil: no message waits to be read
	credit int     // operations; if negative, the next turns of the peer pay for the last one
	inbox  inbox.Inbox
	outbox outbox.Box

	scheduled      bool             // it is in Node.scheduled
	open, separate *outbox.Envelope // for what the running block has sent: in its own execution, and last in another one
	awaited        []*awaited

	uses     ledger.Share // of resources with a limit for all peers; its frames are those that its fills have opened, and answers to requests of these
	early    int          // bytes of envelopes that came before the end of the bootstrap
	finished container.Fifo[*finishedBy]

	// The governor: consecutive failures, and the time until which the peer is ignored.
	failures     int
	ignoredUntil int64
	attempts     int // to dial, consecutive

	rtt       estimate.Estimate
	trip      extremes.Recent   // round-trip times
	silence   estimate.Estimate // between signs of life
	heartbeat int64             // see [Node.SetHeartbeat]
	lastSeen  int64
}

// compare orders peers by rank and class, independent of their names and the order of their arrival. So peers
// that share a class are in the order of their ranks, whatever their other classes. PeerIDs break ties between
// equal configurations.
func (c *PeerConfig) compare(d *PeerConfig) int {
	if x := cmp.Or(cmp.Compare(c.Rank, d.Rank), cmp.Compare(c.Class, d.Class)); x != 0 {
		return x
	}
	return c.ID.Compare(d.ID)
}

// is reports whether the peer belongs to a class.
func (p *peer) is(class string) bool { return p.Class == class || classes.Is(p.Class, class) }

func (p *peer) compare(q *peer) int { return p.PeerConfig.compare(&q.PeerConfig) }

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
	at, _ := slices.BinarySearchFunc(n.roster, p, (*peer).compare)
	n.roster = slices.Insert(n.roster, at, p)
	n.count(p)
}

// Block refuses all messages of a peer from now on, and sends no message to it.
func (n *Node) Block(id wire.PeerID) {
	if p := n.peer(id); p != nil && p != n.self {
		p.blocked = true
		n.count(p)
		n.dropAwaitingBulk(p)
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

// PeerInTurn appends the admitted peer of a class that is next in turn for the execution of a frame.
// Consecutive executions of a peer get consecutive peers, connected or not, so that all callers get the same
// result.
func (n *Node) PeerInTurn(list []wire.PeerID, f *Frame, class string) []wire.PeerID {
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

// Address returns the addresses of a peer.
func (n *Node) Address(id wire.PeerID) []wire.Address {
	if p := n.peer(id); p != nil {
		return p.Addresses
	}
	return nil
}

// sender returns the peer that has sent bytes, or an error if it must be ignored.
func (n *Node) sender(id wire.PeerID) (*peer, error) {
	p := n.peer(id)
	if p == nil {
		return nil, ErrUnknownPeer
	}
	return p, n.checkIgnored(p)
}

// checkIgnored returns an error if messages of a peer must be ignored.
func (n *Node) checkIgnored(p *peer) error {
	switch {
	case p.blocked:
		return ErrBlocked
	case n.now < p.ignoredUntil, p.hungUp:
		return ErrIgnored
	}
	return nil
}

// The limits of the governor and of the back-off for peers that misbehave or do not answer.
const (
	tolerance  = 5    // consecutive failures
	firstDelay = 10e6 // ns
	maxDelay   = 60e9 // ns
)

func backoff(attempt int) int64 {
	return min(firstDelay<<min(attempt, 32), int64(maxDelay))
}

// misbehaved counts a failure of a peer. After several consecutive failures the peer is ignored for a while,
// twice as long for each further one.
func (n *Node) misbehaved(p *peer) {
	p.failures++
	if p.failures < tolerance {
		return
	}
	p.ignoredUntil = n.now + backoff(p.failures-tolerance)
	n.hangUp(p)
}

// hangUp asks the host to close the channel to a peer. On a channel that loses envelopes that is not needed:
// unread envelopes are sent again.
func (n *Node) hangUp(p *peer) {
	if n.config.Resend == 0 && p.connected && !p.hungUp && p != n.self {
		p.hungUp = true
		n.out.Push(output{kind: Hangup, peer: p})
	}
}

// Check returns an error if a peer that sends this hello would be refused. It changes nothing.
func (n *Node) Check(id wire.PeerID, hello *wire.Hello) error {
	p := n.peer(id)
	switch {
	case p == nil:
		return fmt.Errorf("peer %v: %w: invite it, or name it in -peers", id, ErrUnknownPeer)
	case p.blocked:
		return fmt.Errorf("peer %v: %w", id, ErrBlocked)
	case n.now < p.ignoredUntil: // messages that it sends now would be lost
		return fmt.Errorf("peer %v: %w: %d ms more", id, ErrIgnored, (p.ignoredUntil-n.now)/1e6+1)
	}
	if err := n.checkHello(p, hello); err != nil {
		return fmt.Errorf("peer %v: %w", id, err)
	}
	return nil
}

// Connected reports a channel to a peer and the peer's hello. All unacknowledged envelopes are sent again.
func (n *Node) Connected(now int64, id wire.PeerID, hello *wire.Hello) error {
	n.advance(now)
	p := n.peer(id)
	if err := n.Check(id, hello); err != nil {
		return err
	}
	if n.isDown(p) || p.incarnation == 0 {
		n.queueEvent(Event{Kind: PeerUp, Peer: p.id})
	}
	isKnown := cmp.Or(p.incarnation, p.before) != 0
	isAnew := hello.Fresh && hello.Incarnation != cmp.Or(p.incarnation, p.before)
	p.incarnation, p.connected, p.dialing, p.attempts = hello.Incarnation, true, false, 0
	n.count(p)
	n.down.Remove(p.index)
	p.suspect, p.hungUp, p.paused, p.lastSeen = false, false, false, n.now
	p.silence, p.inbox = estimate.Estimate{}, inbox.Inbox{}
	p.outbox.Accept(bound(hello.MaxEnvelope, n.limits.Wire.Envelope), bound(hello.MaxFill, n.limits.Wire.Chunk))
	p.outbox.Rewind()
	n.forget(p)
	if isAnew {
		n.leaveOutRestarted(p)
	}
	if isAnew && isKnown {
		n.handleRestart(p)
	}
	n.driveAllCalls(p)
	n.schedule(p)
	n.peersCame()
	return nil
}

// Pause reports that the channel to a peer accepts no more messages for now. Messages wait, except those that
// Poll has already returned, until Resume or the next channel.
func (n *Node) Pause(id wire.PeerID) {
	if p := n.peer(id); p != nil {
		p.paused = true
	}
}

// Resume reports that the channel to a peer accepts messages again.
func (n *Node) Resume(now int64, id wire.PeerID) {
	n.advance(now)
	if p := n.peer(id); p != nil && p.paused {
		p.paused = false
		n.schedule(p)
	}
}

// Disconnected reports that the channel to a peer was closed. A peer whose process has ended counts as down at
// once.
func (n *Node) Disconnected(now int64, id wire.PeerID, err error) {
	n.advance(now)
	if p := n.peer(id); p != nil {
		p.connected, p.dialing, p.hungUp = false, false, false
		n.count(p)
		n.dropAwaitingBulk(p)
		n.setDown(p, err)
		n.retry(p)
		n.lease(p)
	}
}

// DialFailed reports that a peer could not be reached. The Node requests another dial with increasing delays, while it has
// messages for the peer.
func (n *Node) DialFailed(now int64, id wire.PeerID, err error) {
	n.advance(now)
	if p := n.peer(id); p != nil && !p.connected {
		p.dialing = false
		n.setDown(p, err)
		n.retry(p)
		n.reexamine = n.reexamine || len(n.communicators) > 0 // the peer may count as lost now
	}
}

func (n *Node) retry(p *peer) {
	if !p.waiting {
		p.waiting = true
		n.setPeerTimer(p, retryPeer, n.now+backoff(p.attempts))
		p.attempts++
	}
}

// Alive reports a sign of life of a peer that is no envelope, such as an answer to the host's ping.
func (n *Node) Alive(now int64, id wire.PeerID) {
	n.advance(now)
	if p := n.peer(id); p != nil && p.connected {
		n.alive(p)
	}
}

// Classes returns the classes of a peer: see package classes.
func Classes(class string) []string { return classes.Split(class) }

// ClassOf returns the class of a peer that belongs to several classes.
func ClassOf(list ...string) string { return classes.Join(list...) }

// IsClass reports whether a peer of a class belongs to all classes that other names.
func IsClass(class, other string) bool { return classes.Is(class, other) }

// SharesClass reports whether peers of two classes have a class in common.
func SharesClass(a, b string) bool { return classes.Shares(a, b) }

// Ranks assigns ranks to the peers of a program: see [classes.Ranks].
func Ranks(list []string, counts map[string]int) [][]int { return classes.Ranks(list, counts) }
