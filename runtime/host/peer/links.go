package peer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// sorted returns the links by class and rank.
func (h *host) sorted() []*link {
	return slices.SortedFunc(maps.Values(h.links), func(a, b *link) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Rank, b.Rank), a.ID.Compare(b.ID))
	})
}

// linkOf returns the link to a peer, which it makes if it is missing, with this configuration.
func (h *host) linkOf(c runtime.PeerConfig) *link {
	l := h.links[c.ID]
	if l == nil {
		l = &link{}
		h.links[c.ID] = l
		h.admitted.Store(c.ID, true)
	}
	l.PeerConfig = c
	return l
}

// isAdmitted reports whether a peer may take part. It is safe for concurrent use.
func (h *host) isAdmitted(id wire.PeerID) bool {
	_, ok := h.admitted.Load(id)
	return ok
}

// linkTo returns the link to a peer that the node has admitted, also if a component has admitted it at run
// time; nil for others.
func (h *host) linkTo(id wire.PeerID) *link {
	if l := h.links[id]; l != nil {
		return l
	}
	class, rank, ok := h.node.ClassOf(id)
	if !ok || id == h.config.Self {
		return nil
	}
	h.log.Info("peer admitted by the program", "peer", id, "class", class, "rank", rank)
	return h.linkOf(runtime.PeerConfig{ID: id, Class: class, Rank: rank})
}

// places returns the addresses of a peer: first those of the configuration, then those that the program has
// recorded, the latest first.
func (h *host) places(l *link) []wire.Address {
	list := slices.Clone(l.Addresses)
	for _, a := range slices.Backward(h.node.Address(l.ID)) {
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// allow admits a peer while the host runs.
func (h *host) allow(c runtime.PeerConfig) error {
	if err := h.node.Allow(c); err != nil {
		return fmt.Errorf("admit %v: %w", c.ID, err)
	}
	h.linkOf(c)
	h.log.Info("peer admitted", "peer", c.ID, "class", c.Class, "rank", c.Rank)
	return nil
}

// rest closes the connection to a peer for a while, with a reason.
func (h *host) rest(l *link, err error) {
	if h.Now()-l.restTil > int64(maxRest) {
		l.rests = 0
	}
	d := min(firstRest<<min(l.rests, 16), maxRest)
	l.rests++
	l.restTil, l.restFor = h.Now()+int64(d), err
	if l.conn != nil {
		l.conn.Close()
	}
	h.log.Warn("a peer must wait", "peer", l.ID, "for", d, "err", err)
}

// resting returns an error if a peer must still wait.
func (h *host) resting(l *link) error {
	if left := l.restTil - h.Now(); left > 0 {
		return fmt.Errorf("peer %v: %w, %d ms more: %w", l.ID, ErrRest, left/1e6+1, l.restFor)
	}
	return nil
}
