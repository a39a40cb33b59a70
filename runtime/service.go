package runtime

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/random"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Services of the engine that programs call by the names of operators; others are in the files of their
// subjects.

// RngU64 returns a random number.
func (e *Engine) RngU64() uint64 { return e.node().Rand().Uint64() }

// CorrelateTag returns a number that this incarnation of the peer has not returned before, and that other
// incarnations and peers are unlikely to return.
func (e *Engine) CorrelateTag() uint64 {
	e.tags++
	return random.Mix(e.tags ^ random.Mix(e.config.Incarnation^random.SeedOf(e.config.Seed, e.partition.Class, e.config.Rank)))
}

// DeadlineCheck returns an error if the execution has been on this peer for longer than within ns, or than its
// cause allows.
func (e *Engine) DeadlineCheck(f *Frame, within int64) error {
	age := e.now - f.since
	switch {
	case age > within:
		return fmt.Errorf("%w: the execution has taken %d ns, want at most %d", ErrDeadline, age, within)
	case f.until > 0 && e.now > f.until:
		return fmt.Errorf("%w: what caused the execution allowed it %d ns here", ErrDeadline, f.until-f.since)
	}
	return nil
}

var errDown = errors.New("the peer is down")

// CheckHealth returns an error if a peer is not admitted or considered dead.
func (e *Engine) CheckHealth(id wire.PeerID) error { return e.node().checkHealth(id) }

// checkHealth returns an error if a peer is not admitted or considered dead.
func (n *Node) checkHealth(id wire.PeerID) error {
	switch p := n.peer(id); {
	case p == nil:
		return fmt.Errorf("peer %v: %w", id, ErrUnknownPeer)
	case p.blocked:
		return fmt.Errorf("peer %v: %w", id, ErrBlocked)
	case n.isDown(p):
		return fmt.Errorf("peer %v: %w", id, errDown)
	}
	return nil
}

// CheckBackoff returns an error if a peer is not admitted or ignored for a while.
func (e *Engine) CheckBackoff(id wire.PeerID) error {
	switch p := e.node().peer(id); {
	case p == nil:
		return fmt.Errorf("peer %v: %w", id, ErrUnknownPeer)
	case p.blocked:
		return fmt.Errorf("peer %v: %w", id, ErrBlocked)
	case e.now < p.ignoredUntil:
		return fmt.Errorf("peer %v: %w", id, ErrIgnored)
	}
	return nil
}

// Healthy appends to list those of peers that are not considered dead.
func (n *Node) Healthy(list, peers []wire.PeerID) []wire.PeerID {
	for _, id := range peers {
		if n.checkHealth(id) == nil {
			list = append(list, id)
		}
	}
	return list
}

// Healthy appends to list those of peers that are not considered dead.
func (e *Engine) Healthy(list, peers []wire.PeerID) []wire.PeerID {
	return e.node().Healthy(list, peers)
}

// Willing appends to list those of peers that are not ignored and not waiting to be dialed again. Programs choose with it
// whom to send to when others can do it as well.
func (e *Engine) Willing(list, peers []wire.PeerID) []wire.PeerID {
	for _, id := range peers {
		if e.CheckBackoff(id) == nil && !e.node().peer(id).waiting {
			list = append(list, id)
		}
	}
	return list
}

// InsertAddress records addresses of an admitted peer. If there are too many, the oldest are forgotten.
func (n *Node) InsertAddress(id wire.PeerID, addrs ...string) error {
	p := n.peer(id)
	if p == nil {
		return fmt.Errorf("address of peer %v: %w", id, ErrUnknownPeer)
	}
	for _, s := range addrs {
		a, err := wire.ParseAddress([]byte(s), &n.limits.Wire)
		if err != nil {
			return fmt.Errorf("address of peer %v: %w", id, err)
		}
		if other, ok := a.Peer(); ok && other != id {
			return fmt.Errorf("address of peer %v: %w: %s", id, ErrForged, a)
		}
		isIt := func(b wire.Address) bool { return a == b }
		p.Addresses = append(slices.DeleteFunc(p.Addresses, isIt), a)
		p.learned = slices.DeleteFunc(p.learned, isIt)
	}
	if extra := len(p.Addresses) - n.limits.Wire.Addresses; extra > 0 {
		p.Addresses = slices.Delete(p.Addresses, 0, extra)
	}
	return nil
}

// InsertAddress records addresses of an admitted peer. If there are too many, the oldest are forgotten.
func (e *Engine) InsertAddress(id wire.PeerID, addrs ...string) error {
	return e.node().InsertAddress(id, addrs...)
}

var errNoAddress = errors.New("no address is known")

// LookupAddress returns the address of a peer that was recorded last, or the first one at which the peer says that it can
// be dialed.
func (e *Engine) LookupAddress(id wire.PeerID) (string, error) {
	p := e.node().peer(id)
	if p == nil {
		return "", fmt.Errorf("peer %v: %w", id, ErrUnknownPeer)
	}
	switch {
	case len(p.Addresses) > 0:
		return string(p.Addresses[len(p.Addresses)-1]), nil
	case len(p.learned) > 0:
		return string(p.learned[0]), nil
	}
	return "", fmt.Errorf("peer %v: %w", id, errNoAddress)
}

// Rand returns the random source of the running block's target, or the peer's first source if no block runs.
// Snapshots hold its state.
func (n *Node) Rand() *rand.Rand { return n.sources[n.target].Rand }
