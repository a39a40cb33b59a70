package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

var (
	// ErrRefused wraps the reason that a peer gives for refusing this one.
	ErrRefused = errors.New("the peer refuses")

	// ErrNoHello is the error of a stream whose first message is not a Hello.
	ErrNoHello = errors.New("no hello")

	// ErrFlood is the error of a connection with more messages than were requested, or can be answered.
	ErrFlood = errors.New("the peer requests more than it reads")

	errTwice = errors.New("there is a connection already")
)

// refusedError is an [ErrRefused] with the reason that the peer gives.
type refusedError struct{ why string }

func (e *refusedError) Error() string { return ErrRefused.Error() + ": " + e.why }
func (e *refusedError) Unwrap() error { return ErrRefused }

// readHello reads the first message of a stream. No more is read before it is accepted.
func (h *host) readHello(s Stream) (*conversation.Frames, wire.Hello, error) {
	f := conversation.NewFrames(s, h.times.hello)
	f.SetIdle(h.times.hello)
	b, err := f.Next(nil, h.limits.Wire.Hello)
	if err != nil {
		return nil, wire.Hello{}, fmt.Errorf("%w: %w", ErrNoHello, err)
	}
	hello, err := wire.ConsumeHello(b, &h.limits.Wire)
	if err != nil {
		return nil, wire.Hello{}, fmt.Errorf("%w: %w", ErrNoHello, err)
	}
	f.SetIdle(0)
	f.SetStall(h.times.stall)
	return f, hello, nil
}

func (h *host) writeHello(s Stream, hello *wire.Hello) error {
	return conversation.WriteAll(s, conversation.AppendFrame(nil, appendHello(*hello)), h.times.hello)
}

// appendHello appends the encoding of a Hello in the current version.
func appendHello(hello wire.Hello) []byte {
	hello.Unix = uint64(time.Now().UnixNano())
	return wire.AppendHello(nil, &hello)
}

// dialStream opens a stream and exchanges Hellos on it.
func (h *host) dialStream(id wire.PeerID, at []wire.Address, p Protocol, hello wire.Hello) (Stream, *conversation.Frames, wire.Hello, error) {
	ctx, cancel := context.WithTimeout(h.ctx, h.times.dial)
	defer cancel()
	s, err := h.transport.Dial(ctx, id, at, p)
	if err != nil {
		return nil, nil, wire.Hello{}, err
	}
	stop := context.AfterFunc(h.ctx, func() { s.Close() })
	defer stop()
	f, theirs, err := h.exchange(s, &hello)
	if err != nil {
		s.Close()
		return nil, nil, wire.Hello{}, err
	}
	return s, f, theirs, nil
}

func (h *host) exchange(s Stream, hello *wire.Hello) (*conversation.Frames, wire.Hello, error) {
	if err := h.writeHello(s, hello); err != nil {
		return nil, wire.Hello{}, err
	}
	f, theirs, err := h.readHello(s)
	switch {
	case errors.Is(err, io.EOF):
		return nil, wire.Hello{}, fmt.Errorf("%w: it closed the connection", ErrRefused)
	case err != nil:
		return nil, wire.Hello{}, err
	case theirs.Refusal != "" && theirs.Incarnation > 0:
		return nil, wire.Hello{}, &overError{theirs.Refusal, theirs.Incarnation}
	case theirs.Refusal != "":
		return nil, wire.Hello{}, &refusedError{theirs.Refusal}
	}
	return f, theirs, nil
}

// overError refuses a peer whose incarnation is outdated: the other end knows a later one.
type overError struct {
	text  string
	known uint64
}

func (e *overError) Error() string { return fmt.Sprintf("%v: %s", ErrRefused, e.text) }

func (e *overError) Unwrap() error { return ErrRefused }

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
	var over *overError
	if !errors.As(err, &over) || !l.since.IsZero() || over.known < h.hello.Incarnation {
		return
	}
	if over.known > uint64(time.Now().Add(maxClockError).UnixNano()) {
		h.log.Error("a peer has stored an incarnation that no correct clock gives", "peer", l.ID, "incarnation", over.known)
		return
	}
	h.hello.Incarnation = over.known + 1
	h.log.Warn("the clock was ahead once: the peer takes a later incarnation than the time says", "known to", l.ID, "incarnation", h.hello.Incarnation)
}
