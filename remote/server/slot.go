package server

import (
	"context"
	"sync/atomic"

	"github.com/bbgen/bbgen/remote/exec"
	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// slot is a tensor of a session that may still be computed. Tensors never change.
//
// It is made where the message arrives, in the order of messages, and filled on a stream.
// So a task on one stream may read what another computes: it waits for what was asked for
// before it, and never in a circle.
type slot struct {
	memory *account
	refs   atomic.Int32
	done   chan struct{}

	// Invariant: nobody reads these before done is closed, or writes after.
	tensor  *tensor.Tensor
	failure *protocol.Failure
	bytes   int // taken for the tensor
}

// slotBytes is what a slot itself counts.
const slotBytes = 256

// newSlot makes an empty slot with so many references.
func newSlot(m *account, refs int32) (*slot, error) {
	if err := m.Take(slotBytes); err != nil {
		return nil, err
	}
	s := &slot{memory: m, done: make(chan struct{})}
	s.refs.Store(refs)
	return s, nil
}

// fill gives the slot a tensor, whose memory is taken already.
func (s *slot) fill(t *tensor.Tensor) {
	s.tensor, s.bytes = t, exec.Bytes(t)
	close(s.done)
}

// fail says why there will be no tensor.
func (s *slot) fail(f *protocol.Failure) {
	s.failure = f
	close(s.done)
}

// wait returns the tensor when it is there.
func (s *slot) wait(ctx context.Context) (*tensor.Tensor, *protocol.Failure) {
	select {
	case <-s.done:
		return s.tensor, s.failure
	case <-ctx.Done():
		return nil, &protocol.Failure{Code: protocol.Lost, Text: "the session is over"}
	}
}

func (s *slot) hold() { s.refs.Add(1) }

// release gives a reference back, and with the last one the memory.
//
// Invariant: whoever fills the slot has a reference until then.
func (s *slot) release() {
	if s.refs.Add(-1) == 0 {
		s.memory.Give(s.bytes + slotBytes)
		s.tensor = nil
	}
}
