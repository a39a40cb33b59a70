package protocol

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// HelloTimeout is the time limit for the Hello of either end.
const HelloTimeout = 10 * time.Second

// The classes in a Hello.
const (
	ClientClass = "client" // a client that computes
	ServerClass = "server" // a server that fetches a tensor with a ticket
)

// ErrRefused is wrapped by the error of a server that refuses a client.
var ErrRefused = errors.New("the server refuses")

// Greet sends a Hello to a server, and returns the connection.
func Greet(s peer.Stream, class string, proof []byte, lim *Limits) (*Conn, error) {
	hello := &wire.Hello{Protocol: Version, Classes: []string{class}, JoinProof: proof}
	if err := writeHello(s, hello); err != nil {
		return nil, err
	}
	c, answer, err := Hear(s, lim)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%w: it closed the connection", ErrRefused)
	case err != nil:
		return nil, err
	case answer.Refusal != "":
		return nil, fmt.Errorf("%w: %s", ErrRefused, answer.Refusal)
	case answer.Protocol != Version:
		return nil, fmt.Errorf("%w: it speaks version %d of the protocol, want %d", ErrRefused, answer.Protocol, Version)
	}
	return c, nil
}

// Hear reads the Hello with which a stream begins.
func Hear(s peer.Stream, lim *Limits) (*Conn, *wire.Hello, error) {
	f := peer.NewFrames(s, stall)
	f.SetIdle(HelloTimeout)
	limits := wire.Default()
	b, err := f.Next(nil, limits.Hello)
	if err != nil {
		return nil, nil, fmt.Errorf("no hello: %w", err)
	}
	hello, err := wire.ConsumeHello(b, &limits)
	if err != nil {
		return nil, nil, fmt.Errorf("no hello: %w", err)
	}
	f.SetIdle(0)
	return newConn(s, f, lim), &hello, nil
}

// Welcome answers a Hello. If refusal is not "", the connection is refused for that reason.
func Welcome(s peer.Stream, refusal string) error {
	return writeHello(s, &wire.Hello{Protocol: Version, Classes: []string{ServerClass}, Refusal: clean(refusal)})
}

// clean returns a text without characters that a Hello may not contain.
func clean(s string) string {
	limits := wire.Default()
	b := []byte(s[:min(len(s), limits.Name)])
	for i, c := range b {
		if c < ' ' || c >= 0x7f {
			b[i] = '?'
		}
	}
	return string(b)
}

func writeHello(s peer.Stream, h *wire.Hello) error {
	if err := s.SetWriteDeadline(time.Now().Add(HelloTimeout)); err != nil {
		return err
	}
	b := wire.AppendHello(nil, h)
	_, err := s.Write(append(wire.AppendLength(nil, len(b)), b...))
	return err
}
