package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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
	f, hello, err := h.readHello(s)
	if err != nil {
		s.Close()
		h.post(func() {
			h.undecided.Leave(s)
			h.refused(s.Peer(), err)
		})
		return
	}
	var joined *runtime.PeerConfig
	if len(hello.JoinProof) > 0 {
		if joined, err = h.members.Redeem(s.Peer(), &hello, time.Now()); err != nil {
			h.post(func() { h.refuse(s, err) })
			return
		}
	}
	h.post(func() { h.accepted(s, f, hello, joined) })
}

// refuse sends a peer the reason for its refusal, and closes the stream.
func (h *host) refuse(s Stream, err error) {
	h.refused(s.Peer(), err)
	hello := wire.Hello{Protocol: wire.Protocol, Refusal: refusal(s.Peer(), err, h.limits.Wire.Name), Incarnation: h.knownTo(h.links[s.Peer()], err)}
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
	h.writeHello(s, hello)
	s.Close()
	h.undecided.Leave(s)
}
