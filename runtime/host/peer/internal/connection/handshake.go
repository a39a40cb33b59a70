package connection

import (
	"errors"
	"fmt"
	"io"
	"time"

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
)

// RefusedError is an [ErrRefused] with the reason that the peer gives.
type RefusedError struct{ Why string }

// Error tells the reason.
func (e *RefusedError) Error() string { return ErrRefused.Error() + ": " + e.Why }

// Unwrap returns [ErrRefused].
func (e *RefusedError) Unwrap() error { return ErrRefused }

// OverError refuses a peer whose incarnation is outdated: the other end knows a later one.
type OverError struct {
	Why   string
	Known uint64
}

// Error tells the reason.
func (e *OverError) Error() string { return fmt.Sprintf("%v: %s", ErrRefused, e.Why) }

// Unwrap returns [ErrRefused].
func (e *OverError) Unwrap() error { return ErrRefused }

// ReadHello reads the first message of a stream. No more is read before it is accepted.
func (s *Shared) ReadHello(from Stream) (*conversation.Frames, wire.Hello, error) {
	f := conversation.NewFrames(from, s.Times.Hello)
	f.SetIdle(s.Times.Hello)
	b, err := f.Next(nil, s.Limits.Wire.Hello)
	if err != nil {
		return nil, wire.Hello{}, fmt.Errorf("%w: %w", ErrNoHello, err)
	}
	hello, err := wire.ConsumeHello(b, &s.Limits.Wire)
	if err != nil {
		return nil, wire.Hello{}, fmt.Errorf("%w: %w", ErrNoHello, err)
	}
	f.SetIdle(0)
	f.SetStall(s.Times.Stall)
	return f, hello, nil
}

// WriteHello writes the first message of a stream.
func (s *Shared) WriteHello(to Stream, hello *wire.Hello) error {
	return conversation.WriteAll(to, conversation.AppendFrame(nil, AppendHello(*hello)), s.Times.Hello)
}

// AppendHello returns the encoding of a Hello in the current version, with the time.
func AppendHello(hello wire.Hello) []byte {
	hello.Unix = uint64(time.Now().UnixNano())
	return wire.AppendHello(nil, &hello)
}

// Exchange exchanges Hellos on a stream that this end has opened. A refusal is an error.
func (s *Shared) Exchange(with Stream, hello *wire.Hello) (*conversation.Frames, wire.Hello, error) {
	if err := s.WriteHello(with, hello); err != nil {
		return nil, wire.Hello{}, err
	}
	f, theirs, err := s.ReadHello(with)
	switch {
	case errors.Is(err, io.EOF):
		return nil, wire.Hello{}, fmt.Errorf("%w: it closed the connection", ErrRefused)
	case err != nil:
		return nil, wire.Hello{}, err
	case theirs.Refusal != "" && theirs.Incarnation > 0:
		return nil, wire.Hello{}, &OverError{theirs.Refusal, theirs.Incarnation}
	case theirs.Refusal != "":
		return nil, wire.Hello{}, &RefusedError{theirs.Refusal}
	}
	return f, theirs, nil
}
