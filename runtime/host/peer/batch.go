package peer

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/host/internal/mailbox"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// batch is a group of envelopes that came together: a reader fills one batch while the loop delivers the other.
type batch struct {
	c      *conn
	twin   *batch
	note   *mailbox.Note
	buf    []byte
	memory *tensor.Memory // the memory of buf for an envelope of large values, with a reference
	ends   []int          // of the envelopes in buf
	next   int            // the first envelope that was not delivered
	lent   int            // how many delivered envelopes the node has yet to read
	free   chan struct{}  // holds a token while the reader may fill the batch

	read func() // called when the node has read a lent envelope
}

const (
	batchBytes = 64 << 10 // a batch of this size is not filled further
	keepBatch  = 1 << 20
)

// initBatches connects the two batches of a reader.
func initBatches(c *conn, list *[2]batch) {
	for i := range list {
		b := &list[i]
		b.c, b.twin, b.free = c, &list[i^1], make(chan struct{}, 1)
		b.free <- struct{}{}
		b.note = mailbox.NewNote(func() { c.to.deliver(b) })
		b.read = func() {
			b.lent--
			b.release()
		}
	}
}

// wait waits until the reader may fill the batch, and empties it.
func (b *batch) wait() error {
	select {
	case <-b.free:
		b.reset()
		return nil
	case <-b.c.ended: // no reader passes envelopes of parallel streams any more
		return errEnded
	case <-b.c.shared.ctx.Done(): // the host has ended
		return b.c.shared.ctx.Err()
	}
}

var errEnded = errors.New("the connection has ended")

// readInto reads the rest of a message of size bytes behind those of the batch. An envelope of large values at
// the beginning of a batch gets memory with a reference count.
func (b *batch) readInto(f *conversation.Frames, size int) ([]byte, error) {
	if len(b.buf) == 0 && tensor.AreLarge(size) && size <= b.c.shared.limits.Wire.Chunk+headRoom {
		if err := b.hold(f, size); err != nil {
			return nil, err
		}
	}
	return f.Rest(b.buf, size)
}

// release lets the reader fill the batch when the node needs none of its bytes any more.
func (b *batch) release() {
	if b.lent == 0 && b.next == len(b.ends) {
		b.free <- struct{}{}
	}
}

func (b *batch) reset() {
	if b.memory != nil || cap(b.buf) > keepBatch {
		b.buf = nil
	}
	b.memory.Release()
	b.memory = nil
	b.buf, b.ends, b.next = b.buf[:0], b.ends[:0], 0
}

// headRoom is an upper bound of the size of an envelope of one value, without the value.
const headRoom = 4 << 10

// hold prepares the batch for its first envelope, of size bytes, in memory with a reference count. The first
// large value is aligned for its elements, so that it need not be copied.
func (b *batch) hold(f *conversation.Frames, size int) error {
	head, err := f.Peek(min(size, headRoom))
	if err != nil {
		return err
	}
	b.memory = tensor.NewMemory(size + lineSize)
	b.buf = b.memory.Bytes()[-uint(wire.PayloadAt(head))%lineSize:][:0]
	return nil
}

// lineSize is the size of a cache line. Memory begins at one.
const lineSize = 64
