package remote

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/remote/protocol"
)

var (
	// ErrLost is why a session is over: the server stopped, or cannot be reached any more.
	// All of its tensors are gone.
	ErrLost = errors.New("the session is lost")

	// ErrMemory is why something was not made: the client may not have so much memory.
	ErrMemory = errors.New("out of memory on the server")

	// ErrRefused is why a server cannot be used, or does not give a tensor to another one.
	ErrRefused = protocol.ErrRefused

	// ErrClosed is what calls of a closed device return.
	ErrClosed = errors.New("the device is closed")

	// ErrTensor is why a tensor cannot be used: it was released, or is another device's.
	ErrTensor = errors.New("no tensor of this device")
)

// Error is something that failed on the server.
type Error struct {
	Op   string // the operator; or register, read, fetch …
	Text string // names the node, where there is one
	kind error  // one of the above, or nil
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Op, e.Text) }

// Unwrap is what kind of error it is, if that is one that can be asked for.
func (e *Error) Unwrap() error { return e.kind }

func errorOf(f *protocol.Failure) error {
	if f == nil {
		return nil
	}
	kinds := map[protocol.Code]error{protocol.NoMemory: ErrMemory, protocol.Lost: ErrLost, protocol.Refused: ErrRefused, protocol.Unknown: ErrTensor}
	return &Error{f.Op, f.Text, kinds[f.Code]}
}
