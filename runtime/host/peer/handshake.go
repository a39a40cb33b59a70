package peer

import (
	"context"
	"errors"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Errors of connections.
var (
	// ErrRefused wraps the reason that a peer gives for refusing this one.
	ErrRefused = connection.ErrRefused

	// ErrNoHello is the error of a stream whose first message is not a Hello.
	ErrNoHello = connection.ErrNoHello

	// ErrFlood is the error of a connection with more messages than were requested, or can be answered.
	ErrFlood = connection.ErrFlood

	errTwice = errors.New("there is a connection already")
)

// dialStream opens a stream and exchanges Hellos on it.
func (h *host) dialStream(id wire.PeerID, at []wire.Address, p Protocol, hello wire.Hello) (Stream, *conversation.Frames, wire.Hello, error) {
	ctx, cancel := context.WithTimeout(h.Ctx, h.Times.Dial)
	defer cancel()
	s, err := h.transport.Dial(ctx, id, at, p)
	if err != nil {
		return nil, nil, wire.Hello{}, err
	}
	stop := context.AfterFunc(h.Ctx, func() { s.Close() })
	defer stop()
	f, theirs, err := h.Exchange(s, &hello)
	if err != nil {
		s.Close()
		return nil, nil, wire.Hello{}, err
	}
	return s, f, theirs, nil
}

// knownTo returns the incarnation that is reported to a refused peer, if it is refused for that.
func (h *host) knownTo(l *link, err error) uint64 {
	if l == nil || !errors.Is(err, runtime.ErrIncarnation) {
		return 0
	}
	return l.incarnation
}

// maxClockError bounds the error of a clock. If a peer reports an incarnation far beyond that, it is ignored:
// otherwise no larger incarnations would be left.
const maxClockError = 100 * 365 * 24 * time.Hour

// surpass chooses an incarnation above the one that a peer knows. Without a state directory the incarnation is
// the time, and an earlier clock may have been ahead. If a peer has been connected before, the clock was right:
// another process has its key.
func (h *host) surpass(l *link, err error) {
	var over *connection.OverError
	if !errors.As(err, &over) || !l.since.IsZero() || over.Known < h.hello.Incarnation {
		return
	}
	if over.Known > uint64(time.Now().Add(maxClockError).UnixNano()) {
		h.log.Error("a peer has stored an incarnation that no correct clock gives", "peer", l.ID, "incarnation", over.Known)
		return
	}
	h.hello.Incarnation = over.Known + 1
	h.log.Warn("the clock was ahead once: the peer takes a later incarnation than the time says", "known to", l.ID, "incarnation", h.hello.Incarnation)
}
