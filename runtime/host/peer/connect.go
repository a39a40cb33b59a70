package peer

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
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
		h.node.DialFailed(h.Now(), l.ID, ErrNoAddress)
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
		h.Post(func() {
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
			if c := l.conn; c != nil && l.over != nil {
				h.disconnected(l, c, l.over) // no other has replaced it
			}
		})
	}()
}

// neverIn reports whether a peer has refused the invitation of this one for good: further attempts cannot
// succeed.
func (l *link) neverIn(err error) bool {
	refusal, ok := errors.AsType[*connection.RefusedError](err)
	return ok && l.proof != nil && l.since.IsZero() && strings.HasPrefix(refusal.Why, trust.ErrInvitation.Error())
}

func (h *host) dialFailed(l *link, err error) {
	if l.conn != nil { // the peer was faster
		return
	}
	if l.attempts == 0 || l.err == nil || l.err.Error() != err.Error() {
		h.log.Info("peer not reached", "peer", l.ID, "class", l.Class, "err", err)
	}
	l.err = err
	h.node.DialFailed(h.Now(), l.ID, err)
	h.redial(l)
}

// redial plans to dial a peer again, with increasing delays.
func (h *host) redial(l *link) {
	if !l.keep() || l.planned || h.done {
		return
	}
	l.planned = true
	d := max(l.backoff(), time.Duration(l.restTil-h.Now()))
	l.attempts++
	d += time.Duration(rand.Int64N(int64(d)/4 + 1)) // so that not all peers of a fleet come at once
	time.AfterFunc(d, func() {
		h.Post(func() {
			l.planned = false
			h.dial(l)
		})
	})
}

// dialRested dials a peer when it need not wait any more.
func (h *host) dialRested(l *link, err error) {
	h.node.DialFailed(h.Now(), l.ID, err)
	h.redial(l)
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
	if err := h.node.Connected(h.Now(), l.ID, &theirs); err != nil {
		if dialed {
			s.Close()
		}
		return err
	}
	if l.conn != nil {
		l.drop()
		l.Inbound.Pause()
	}
	if theirs.Incarnation != l.incarnation {
		l.Inbound.Forget()
		l.parallelTil = 0 // its streams have ended because it was restarted
	}
	l.incarnation = theirs.Incarnation
	if l.conn == nil {
		h.Streams.Add(1)
	}
	c := connection.New(&h.Shared, h, &l.Account, s, f, theirs, dialed)
	l.begin(c)
	l.attempts, l.err, l.since = 0, nil, time.Now()
	if !dialed {
		own := h.hello
		h.offer(c, &own)
		c.Tell(connection.AppendHello(own))
	}
	go func() {
		err := c.Run()
		h.Post(func() { h.disconnected(l, c, err) })
	}()
	if theirs.KernelLevel != h.config.KernelLevel {
		h.log.Warn("the peer computes with other kernels: its bits may differ", "peer", l.ID, "theirs", theirs.KernelLevel, "ours", h.config.KernelLevel)
	}
	h.log.Info("connected", "peer", l.ID, "class", l.Class, "rank", l.Rank, "build", theirs.BuildID)
	h.introduceSelf(l)
	h.start() // here, as the node reports no peer that comes back before it was reported as lost
	return nil
}

// introduceSelf tells an issuer how this peer can be reached.
func (h *host) introduceSelf(l *link) {
	issuer := trust.Find(h.members.List(), l.ID)
	if issuer == nil || !issuer.Issuer || !l.conn.Hello.Introduces {
		return
	}
	at := h.transport.Addresses()
	l.conn.Tell(wire.AppendIntroduction(nil, &wire.Introduction{
		Addresses: at[:min(len(at), h.Limits.Wire.Addresses)],
		Receives:  h.receives[:min(len(h.receives), h.Limits.Wire.Classes)],
	}))
}

// drop closes the streams of the connection.
func (l *link) drop() {
	l.conn.Close()
	if l.bulk != nil {
		l.bulk.Close()
	}
}

// disconnected handles the end of a stream.
func (h *host) disconnected(l *link, c *connection.Conn, err error) {
	if errors.Is(err, ErrFlood) { // also if the peer has replaced the connection before this was known
		h.rest(l, err)
	}
	if l.conn != c {
		return // another connection has replaced it
	}
	if l.dialing && !errors.Is(err, ErrFlood) { // the peer may have closed it because it accepts what is dialed: its Hello may come later
		l.over = cmp.Or(l.over, err)
		l.drop()
		return
	}
	l.drop()
	l.begin(nil)
	l.err = err
	h.Streams.Add(-1)
	l.Inbound.Pause()
	h.log.Info("disconnected", "peer", l.ID, "class", l.Class, "err", err)
	h.node.Disconnected(h.Now(), l.ID, err)
	h.redial(l)
}
