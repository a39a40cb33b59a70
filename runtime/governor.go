package runtime

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/wire"
)

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

// dropIgnored drops messages of a peer that is ignored. If it has violated the protocol, that was reported then.
func (n *Node) dropIgnored(from wire.PeerID, err error) {
	if errors.Is(err, ErrIgnored) {
		n.stats.Refused++
		return
	}
	n.refuse(&peer{id: from}, wire.ExecID{}, 0, err)
}
