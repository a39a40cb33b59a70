package peer

import (
	"errors"
	"fmt"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// meet connects to the peer at an address and trusts its key from then on. It tries until it succeeds.
func (h *host) meet(a wire.Address, hello wire.Hello) {
	var l link
	said := ""
	for ; ; l.attempts++ {
		err := h.meetOnce(a, hello)
		var over *connection.OverError
		if errors.As(err, &over) {
			h.Ask(func() {
				h.surpass(&l, err)
				hello = h.hello
			})
		}
		if err == nil || h.Ctx.Err() != nil {
			return
		}
		if err.Error() != said {
			said = err.Error()
			h.log.Warn("no peer to trust yet", "address", a, "err", err)
		}
		select {
		case <-time.After(l.backoff()):
		case <-h.Ctx.Done():
		}
	}
}

func (h *host) meetOnce(a wire.Address, hello wire.Hello) error {
	s, f, theirs, err := h.dialStream(wire.PeerID{}, []wire.Address{a}, EnvelopeStream, hello)
	if err != nil {
		return err
	}
	if len(theirs.Classes) == 0 {
		s.Close()
		return runtime.ErrClass
	}
	m := firstMet(s.Peer(), theirs.Classes, a)
	if err := h.pin(m); err != nil {
		s.Close()
		return fmt.Errorf("peer %v answers, and cannot be taken in: %w", m.ID, err)
	}
	if !h.Ask(func() { err = h.trust(m, s, f, theirs) }) {
		return h.Ctx.Err()
	}
	return err
}

// firstMet returns the member for a peer that answered at an address, with the classes that it claims.
func firstMet(id wire.PeerID, claimed []string, a wire.Address) trust.Member {
	return trust.Member{ID: id, Class: classes.Join(claimed...), Addresses: []wire.Address{a}}
}

// pin records the key of a peer that no member has introduced, unless it is a member already.
func (h *host) pin(m trust.Member) error {
	if h.members.Has(m.ID) {
		return nil
	}
	if err := h.program.checkClass(m.Class); err != nil {
		return err
	}
	return h.members.Add(m)
}

// trust admits a pinned peer. From then on it is a member like any other.
func (h *host) trust(m trust.Member, s Stream, f *conversation.Frames, theirs wire.Hello) error {
	if h.links[m.ID] == nil {
		if err := h.allow(m.Config()); err != nil {
			s.Close()
			return fmt.Errorf("peer %v answers, and cannot be taken in: %w", m.ID, err)
		}
		h.log.Warn("trusted because it answered first", "peer", m.ID, "class", m.Class)
	}
	l := h.links[m.ID]
	if err := h.establish(l, s, f, theirs, true); err != nil {
		h.dialFailed(l, err)
	}
	return nil
}
