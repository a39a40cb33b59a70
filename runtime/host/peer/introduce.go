package peer

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Peers with the same issuer of their invitations are introduced to each other: each tells the issuer where it
// can be dialed and which classes send to it, and the issuer introduces two peers if one of them sends to the
// other. They record each other's keys, so that they can connect again without the issuer.

// errNoIssuer is the error of an introduction by another peer than the issuer.
var errNoIssuer = errors.New("an introduction by a peer that did not invite this one")

// receives returns the classes whose peers send to a partition.
func receives(p *runtime.Partition) (classes []string) {
	for _, e := range p.Edges {
		if e.Receives && !slices.Contains(classes, e.From) {
			classes = append(classes, e.From)
		}
	}
	slices.Sort(classes)
	return classes
}

// Introduced handles an introduction, on the goroutine that reads the connection: a sender of many waits until
// each is recorded.
func (h *host) Introduced(from wire.PeerID, b []byte) error {
	x, err := wire.ConsumeIntroduction(b, &h.Limits.Wire)
	if err != nil {
		return err
	}
	if !x.Peer.IsZero() {
		return h.admitIntroduced(from, &x)
	}
	if !h.Ask(func() { err = h.introduceAll(h.links[from], &x) }) {
		return ErrClosed
	}
	return err
}

// introduceAll introduces a peer that was invited here to the other invited peers.
func (h *host) introduceAll(l *link, x *wire.Introduction) error {
	if l.said {
		return fmt.Errorf("%w: it introduces itself twice", ErrFlood)
	}
	l.said, l.met = true, x
	m := trust.Find(h.members.List(), l.ID)
	if m == nil || m.Invite == "" {
		return nil // another issuer introduces it
	}
	for _, other := range h.members.List() {
		o := h.links[other.ID]
		if o == nil || o == l || other.Invite == "" || !l.meets(o) && !o.meets(l) {
			continue
		}
		l.introduce(o)
		if o.met != nil {
			o.introduce(l)
		}
	}
	return nil
}

// meets reports whether a peer receives from another one.
func (l *link) meets(o *link) bool {
	return l.met != nil && slices.ContainsFunc(l.met.Receives, func(class string) bool { return classes.Is(o.Class, class) })
}

// introduce tells a peer about another one, if it is connected.
func (l *link) introduce(o *link) {
	if l.conn == nil || !l.conn.Hello.Introduces {
		return
	}
	x := wire.Introduction{Peer: o.ID, Class: o.Class, Rank: o.Rank}
	if o.met != nil {
		x.Addresses = o.met.Addresses
	}
	l.conn.Tell(wire.AppendIntroduction(nil, &x))
}

// admitIntroduced admits a peer that the issuer of this peer's invitation has introduced.
func (h *host) admitIntroduced(from wire.PeerID, x *wire.Introduction) error {
	list := h.members.List()
	if by := trust.Find(list, from); by == nil || !by.Issuer {
		return fmt.Errorf("%w: %v", errNoIssuer, from)
	}
	m := trust.Member{ID: x.Peer, Class: x.Class, Rank: x.Rank, Addresses: x.Addresses, By: from}
	if m.ID == h.config.Self {
		return nil
	}
	if old := trust.Find(list, m.ID); old != nil {
		if old.By != m.By {
			return nil // it is configured in another way, which takes precedence
		}
		if m.Addresses == nil {
			m.Addresses = old.Addresses // the issuer has not received them since its start
		}
	}
	err := m.Check(&h.Limits.Wire)
	if err == nil {
		err = h.program.checkClass(m.Class)
	}
	if err == nil {
		err = h.members.Add(m)
	}
	if err != nil {
		return fmt.Errorf("introduction: %w", err)
	}
	if !h.Ask(func() { err = h.meetIntroduced(m.Config()) }) {
		return ErrClosed
	}
	return err
}

// meetIntroduced dials a peer that was introduced.
func (h *host) meetIntroduced(m runtime.PeerConfig) error {
	l := h.links[m.ID]
	if l == nil || !reflect.DeepEqual(l.PeerConfig, m) {
		if err := h.allow(m); err != nil {
			return err
		}
		l = h.links[m.ID]
	}
	if l.keep() {
		h.dial(l)
	}
	return nil
}
