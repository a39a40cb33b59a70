package server

import (
	"errors"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/remote/exec"
	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// body is the data after a message. It is read at once. If the client has no memory for it, it is skipped.
type body struct {
	tensor  *tensor.Tensor
	model   []byte
	bytes   int   // that are counted
	refused error // why it was skipped
}

// body reads the data after a message. An error ends the connection.
func (x *session) body(conn *protocol.Conn, m *protocol.Message) (b body, err error) {
	switch {
	case m.Kind == protocol.Register:
		if len(m.Tensors) != 1 || len(m.Out) != 1 {
			return b, fmt.Errorf("%w: %d tensors are registered under %d names, want 1", protocol.ErrMalformed, len(m.Tensors), len(m.Out))
		}
		b.tensor, err = readTensor(conn, &m.Tensors[0], x.memory)
		if b.tensor != nil {
			b.bytes = exec.Bytes(b.tensor)
		}
	case m.Kind == protocol.Graph && m.Bytes > 0:
		b.model, err = readModel(conn, m.Bytes, x.memory)
		b.bytes = len(b.model)
	case m.Bytes > 0:
		return b, fmt.Errorf("%w: %d bytes follow a message of kind %d", protocol.ErrMalformed, m.Bytes, m.Kind)
	}
	if errors.As(err, new(*memoryError)) {
		b.refused, err = err, nil
	}
	return b, err
}

// readTensor counts memory for a tensor after a message and reads it. If there is not enough memory it skips
// the tensor.
func readTensor(conn *protocol.Conn, typ *protocol.Type, memory *account) (*tensor.Tensor, error) {
	size := typ.Memory()
	if err := takeOrSkip(conn, size, typ.Bytes, memory); err != nil {
		return nil, err
	}
	t, err := typ.ReadElements(conn.Fill)
	if err != nil {
		memory.Give(size)
		return nil, err
	}
	memory.Give(size - exec.Bytes(t))
	return t, nil
}

// readModel counts memory for a model after a message and reads it.
func readModel(conn *protocol.Conn, bytes uint64, memory *account) ([]byte, error) {
	size := int(min(bytes, math.MaxInt))
	if err := takeOrSkip(conn, size, bytes, memory); err != nil {
		return nil, err
	}
	b := make([]byte, size)
	if err := conn.Fill(b); err != nil {
		memory.Give(size)
		return nil, err
	}
	return b, nil
}

// takeOrSkip counts memory for the data after a message, or skips them.
func takeOrSkip(conn *protocol.Conn, size int, bytes uint64, memory *account) error {
	err := memory.Take(size)
	if err == nil {
		return nil
	}
	if broken := conn.Skip(bytes); broken != nil {
		return broken
	}
	return err
}
