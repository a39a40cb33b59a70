package peer

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// accept serves streams that peers open until the transport is closed.
func (h *host) accept() {
	for {
		s, err := h.transport.Accept()
		if err != nil {
			return
		}
		h.undecided.Enter(s, h.isAdmitted(s.Peer()))
		go h.greet(s)
	}
}

// greet reads the Hello of a peer that has dialed, and passes it to the loop.
func (h *host) greet(s Stream) {
	f, hello, err := h.ReadHello(s)
	if err != nil {
		s.Close()
		h.Post(func() {
			h.undecided.Leave(s)
			h.refused(s.Peer(), err)
		})
		return
	}
	var joined *runtime.PeerConfig
	if len(hello.JoinProof) > 0 {
		if joined, err = h.members.Redeem(s.Peer(), &hello, time.Now()); err != nil {
			h.Post(func() { h.refuse(s, err) })
			return
		}
	}
	h.Post(func() { h.accepted(s, f, hello, joined) })
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
		if l.conn != nil && !l.conn.Dialed {
			if err = h.attach(l, l.conn, s, f, theirs); err != nil {
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

// refuse sends a peer the reason for its refusal, and closes the stream.
func (h *host) refuse(s Stream, err error) {
	h.refused(s.Peer(), err)
	hello := wire.Hello{Protocol: wire.Protocol, Refusal: refusal(s.Peer(), err, h.Limits.Wire.Name), Incarnation: h.knownTo(h.links[s.Peer()], err)}
	go h.lastWord(s, &hello)
}

// refusal returns the text that a refused peer gets: without its own name, and truncated.
func refusal(to wire.PeerID, err error, most int) string {
	const more = " …"
	text := strings.TrimPrefix(err.Error(), fmt.Sprintf("peer %v: ", to))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most-len(more)], "") + more
	}
	return text
}

// lastWord sends a Hello on a stream and ends the stream.
func (h *host) lastWord(s Stream, hello *wire.Hello) {
	h.WriteHello(s, hello)
	s.Close()
	h.undecided.Leave(s)
}
