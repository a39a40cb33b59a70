package server

import (
	"context"
	"sync/atomic"

	"github.com/bbgen/bbgen/remote/exec"
	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// slot is a tensor of a session that may not be computed yet. Tensors never change.
//
// Slots are made in the order of messages, and filled by streams. So a task on one stream may read the result
// of another stream: it only waits for earlier messages, never in a circle.
type slot struct {
	memory *account
	refs   atomic.Int32
	done   chan struct{}

	// Invariant: these are not read before done is closed, and not written after.
	tensor  *tensor.Tensor
	failure *protocol.Failure
	bytes   int // counted for the tensor
}

// slotBytes is the memory that is counted for a slot itself.
const slotBytes = 256

// newSlot returns an empty slot with a number of references.
func newSlot(m *account, refs int32) (*slot, error) {
	if err := m.Take(slotBytes); err != nil {
		return nil, err
	}
	s := &slot{memory: m, done: make(chan struct{})}
	s.refs.Store(refs)
	return s, nil
}

// fill sets the tensor of the slot. Its memory is counted already.
func (s *slot) fill(t *tensor.Tensor) {
	s.tensor, s.bytes = t, exec.Bytes(t)
	close(s.done)
}

// fail sets the reason why there will be no tensor.
func (s *slot) fail(f *protocol.Failure) {
	s.failure = f
	close(s.done)
}

// wait waits for the tensor.
func (s *slot) wait(ctx context.Context) (*tensor.Tensor, *protocol.Failure) {
	select {
	case <-s.done:
		return s.tensor, s.failure
	case <-ctx.Done():
		return nil, &protocol.Failure{Code: protocol.Lost, Text: "the session is over"}
	}
}

func (s *slot) hold() { s.refs.Add(1) }

// release releases a reference, and with the last one the memory.
//
// Invariant: the goroutine that fills the slot has a reference until then.
func (s *slot) release() {
	if s.refs.Add(-1) == 0 {
		s.memory.Give(s.bytes + slotBytes)
		s.tensor = nil
	}
}
