package peer

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// dial opens a connection to a peer unless there is one, or soon will be.
func (h *host) dial(l *link) {
	if l.conn != nil || l.dialing || h.done {
		return
	}
	at := h.places(l)
	if len(at) == 0 {
		h.node.DialFailed(h.now(), l.ID, ErrNoAddress)
		return
	}
	if err := h.resting(l); err != nil {
		h.dialRested(l, err)
		return
	}
	l.dialing = true
	hello, id := h.hello, l.ID
	hello.JoinProof = l.proof
	go func() {
		s, f, theirs, err := h.dialStream(id, at, EnvelopeStream, hello)
		h.post(func() {
			l.dialing = false
			if err == nil {
				err = h.establish(l, s, f, theirs, true)
			}
			switch {
			case err == nil:
			case l.neverIn(err):
				h.fail(fmt.Errorf("-join: %w", err))
			default:
				h.surpass(l, err)
				h.dialFailed(l, err)
			}
			if c := l.conn; c != nil && c.over != nil {
				h.disconnected(c, c.over) // no other has replaced it
			}
		})
	}()
}

// neverIn reports whether a peer has refused the invitation of this one for good: further attempts cannot
// succeed.
func (l *link) neverIn(err error) bool {
	refusal, ok := errors.AsType[*refusedError](err)
	return ok && l.proof != nil && l.since.IsZero() && strings.HasPrefix(refusal.why, trust.ErrInvitation.Error())
}

func (h *host) dialFailed(l *link, err error) {
	if l.conn != nil { // the peer was faster
		return
	}
	if l.attempts == 0 || l.err == nil || l.err.Error() != err.Error() {
		h.log.Info("peer not reached", "peer", l.ID, "class", l.Class, "err", err)
	}
	l.err = err
	h.node.DialFailed(h.now(), l.ID, err)
	h.redial(l)
}

// redial plans to dial a peer again, with increasing delays.
func (h *host) redial(l *link) {
	if !l.keep() || l.planned || h.done {
		return
	}
	l.planned = true
	d := max(l.backoff(), time.Duration(l.restTil-h.now()))
	l.attempts++
	d += time.Duration(rand.Int64N(int64(d)/4 + 1)) // so that not all peers of a fleet come at once
	time.AfterFunc(d, func() {
		h.post(func() {
			l.planned = false
			h.dial(l)
		})
	})
}

// establish makes a stream the connection to a peer, if the node accepts it.
func (h *host) establish(l *link, s Stream, f *conversation.Frames, theirs wire.Hello, dialed bool) error {
	if h.done {
		s.Close()
		return ErrClosed
	}
	if !l.wins(h.config.Self, dialed, theirs.Incarnation) {
		if dialed {
			s.Close()
		}
		return errTwice
	}
	if err := h.node.Connected(h.now(), l.ID, &theirs); err != nil {
		if dialed {
			s.Close()
		}
		return err
	}
	if l.conn != nil {
		h.drop(l.conn)
		l.inbound.Pause()
	}
	if theirs.Incarnation != l.incarnation {
		l.inbound.Forget()
		l.parallelTil = 0 // its streams have ended because it was restarted
	}
	l.incarnation = theirs.Incarnation
	if l.conn == nil {
		h.streams.Add(1)
	}
	c := newConn(h, l, s, f, theirs, dialed)
	l.conn, l.attempts, l.err, l.since, l.said = c, 0, nil, time.Now(), false
	if !dialed {
		own := h.hello
		c.offer(&own)
		hello := appendHello(own)
		c.out.Append(func(b []byte) []byte { return conversation.AppendFrame(b, hello) })
	}
	c.run()
	if theirs.KernelLevel != h.config.KernelLevel {
		h.log.Warn("the peer computes with other kernels: its bits may differ", "peer", l.ID, "theirs", theirs.KernelLevel, "ours", h.config.KernelLevel)
	}
	h.log.Info("connected", "peer", l.ID, "class", l.Class, "rank", l.Rank, "build", theirs.BuildID)
	h.introduceSelf(c)
	h.start() // here, as the node reports no peer that comes back before it was reported as lost
	return nil
}

// meet connects to the peer at an address and trusts its key from then on. It tries until it succeeds.
func (h *host) meet(a wire.Address, hello wire.Hello) {
	var l link
	said := ""
	for ; ; l.attempts++ {
		err := h.meetOnce(a, hello)
		var over *overError
		if errors.As(err, &over) {
			h.ask(func() {
				h.surpass(&l, err)
				hello = h.hello
			})
		}
		if err == nil || h.ctx.Err() != nil {
			return
		}
		if err.Error() != said {
			said = err.Error()
			h.log.Warn("no peer to trust yet", "address", a, "err", err)
		}
		select {
		case <-time.After(l.backoff()):
		case <-h.ctx.Done():
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
	if !h.ask(func() { err = h.trust(m, s, f, theirs) }) {
		return h.ctx.Err()
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

// asked answers a peer that asks whether it would be admitted.
func (h *host) asked(s Stream, theirs wire.Hello) {
	theirs.Incarnation = h.config.Incarnation // any incarnation that is not outdated
	if err := h.node.Check(s.Peer(), &theirs); err != nil && !errors.Is(err, runtime.ErrIncarnation) {
		h.refuse(s, err)
		return
	}
	hello := h.hello
	go h.lastWord(s, &hello)
}

// drop closes the streams of a connection.
func (h *host) drop(c *conn) {
	c.close()
	if c.bulk != nil {
		c.bulk.s.Close()
	}
}

// accepted handles a peer that has dialed and sent a Hello.
func (h *host) accepted(s Stream, f *conversation.Frames, theirs wire.Hello, j *runtime.PeerConfig) {
	id := s.Peer()
	if j != nil && h.links[id] == nil {
		if err := h.allow(*j); err != nil {
			h.refuse(s, err)
			return
		}
	}
	l := h.linkTo(id)
	if l == nil {
		h.refuse(s, fmt.Errorf("peer %v: %w: invite it, or name it in -peers", id, runtime.ErrUnknownPeer))
		return
	}
	var err error
	switch s.Protocol() {
	case EnvelopeStream:
		if theirs.Incarnation == 0 {
			h.asked(s, theirs)
			return
		}
		if err = h.resting(l); err == nil {
			err = h.establish(l, s, f, theirs, false)
		}
	case BulkStream:
		err = runtime.ErrProtocol
		if l.conn != nil && !l.conn.dialed {
			if err = h.attach(l.conn, s, f, theirs); err != nil {
				h.undecided.Leave(s)
				return
			}
		}
	case ParallelStream:
		err = h.acceptParallel(l, s, f, theirs)
	default:
		err = fmt.Errorf("%w: %s", runtime.ErrProtocol, s.Protocol())
	}
	if err != nil && !errors.Is(err, errTwice) {
		h.refuse(s, err)
		return
	}
	if err != nil {
		s.Close()
	}
	h.undecided.Leave(s)
}

// disconnected handles the end of a stream.
func (h *host) disconnected(c *conn, err error) {
	l := c.link
	if errors.Is(err, ErrFlood) { // also if the peer has replaced the connection before this was known
		h.rest(l, err)
	}
	if l.conn != c {
		return // another connection has replaced it
	}
	if l.dialing && !errors.Is(err, ErrFlood) { // the peer may have closed it because it accepts what is dialed: its Hello may come later
		c.over = cmp.Or(c.over, err)
		h.drop(c)
		return
	}
	l.conn, l.err = nil, err
	h.streams.Add(-1)
	h.drop(c)
	l.inbound.Pause()
	h.log.Info("disconnected", "peer", l.ID, "class", l.Class, "err", err)
	h.node.Disconnected(h.now(), l.ID, err)
	h.redial(l)
}
