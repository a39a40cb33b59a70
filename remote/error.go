package remote

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/remote/protocol"
)

var (
	// ErrLost is the error of a session that has ended: the server has stopped, or cannot be reached any
	// more. All of its tensors are lost.
	ErrLost = errors.New("the session is lost")

	// ErrMemory is the error of a tensor or graph for which the client has not enough memory on the server.
	ErrMemory = errors.New("out of memory on the server")

	// ErrRefused is the error of a server that refuses this client, or another server's request for a tensor.
	ErrRefused = protocol.ErrRefused

	// ErrClosed is the error of calls of a closed device.
	ErrClosed = errors.New("the device is closed")

	// ErrTensor is the error of a tensor that was released, or belongs to another device.
	ErrTensor = errors.New("no tensor of this device")
)

// Error is an error of the server.
type Error struct {
	Op   string // the operator; or register, read, fetch …
	Text string // contains the name of the node, if there is one
	kind error  // one of the above, or nil
}

// Error returns the server's text, after the operator if it does not begin with that.
func (e *Error) Error() string {
	if rest, is := strings.CutPrefix(e.Text, e.Op); is && strings.IndexAny(rest, ": ") == 0 { // it names the operator itself
		return e.Text
	}
	return fmt.Sprintf("%s: %s", e.Op, e.Text)
}

// Unwrap returns the error's kind for [errors.Is], or nil.
func (e *Error) Unwrap() error { return e.kind }

func errorOf(f *protocol.Failure) error {
	if f == nil {
		return nil
	}
	kinds := map[protocol.Code]error{protocol.NoMemory: ErrMemory, protocol.Lost: ErrLost, protocol.Refused: ErrRefused, protocol.Unknown: ErrTensor}
	return &Error{f.Op, f.Text, kinds[f.Code]}
}
