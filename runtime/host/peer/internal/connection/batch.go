package connection

import (
	"errors"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/internal/mailbox"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Batch is a group of envelopes that came together: a reader fills one batch while the loop delivers the other.
type Batch struct {
	Conn   *Conn
	twin   *Batch
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
func initBatches(c *Conn, list *[2]Batch) {
	for i := range list {
		b := &list[i]
		b.Conn, b.twin, b.free = c, &list[i^1], make(chan struct{}, 1)
		b.free <- struct{}{}
		b.note = mailbox.NewNote(func() { c.to.Deliver(b) })
		b.read = func() {
			b.lent--
			b.Release()
		}
	}
}

// wait waits until the reader may fill the batch, and empties it.
func (b *Batch) wait() error {
	select {
	case <-b.free:
		b.reset()
		return nil
	case <-b.Conn.ended: // no reader passes envelopes of parallel streams any more
		return errEnded
	case <-b.Conn.shared.Ctx.Done(): // the host has ended
		return b.Conn.shared.Ctx.Err()
	}
}

var errEnded = errors.New("the connection has ended")

// readInto reads the rest of a message of size bytes behind those of the batch. An envelope of large values at
// the beginning of a batch gets memory with a reference count.
func (b *Batch) readInto(f *conversation.Frames, size int) ([]byte, error) {
	if len(b.buf) == 0 && tensor.AreLarge(size) && size <= b.Conn.shared.Limits.Wire.Chunk+headRoom {
		if err := b.hold(f, size); err != nil {
			return nil, err
		}
	}
	return f.Rest(b.buf, size)
}

// Left returns how many envelopes were neither handed to a node nor dropped.
func (b *Batch) Left() int { return len(b.ends) - b.next }

// Drop drops the envelopes that are left.
func (b *Batch) Drop() { b.next = len(b.ends) }

// lendFrom is the size in bytes from which on an envelope is lent to the node: it is read in place, and the
// batch has to wait for that.
const lendFrom = 16 << 10

// Hand passes the next envelope to the node. Envelopes with counted memory are lent with that memory. Of
// the two batches of a connection only one is lent at a time: otherwise a node that is busy with a snapshot
// or a command would stop the reader, which would miss the peer's pings.
func (b *Batch) Hand(n *runtime.Node) error {
	at := 0
	if b.next > 0 {
		at = b.ends[b.next-1]
	}
	err := b.hand(n, b.buf[at:b.ends[b.next]])
	if err == nil {
		b.next++
	}
	return err
}

func (b *Batch) hand(n *runtime.Node, envelope []byte) error {
	now, from := b.Conn.shared.Now(), b.Conn.Peer()
	switch {
	case b.memory != nil && len(b.ends) == 1:
		err := n.Lend(now, from, envelope, b.memory, b.memory.Release)
		if err == nil {
			b.buf, b.memory = nil, nil // the reader allocates other memory
		}
		return err
	case len(envelope) < lendFrom || b.memory != nil || b.twin.lent > 0:
		return n.Deliver(now, from, envelope)
	}
	err := n.Lend(now, from, envelope, nil, b.read)
	if err == nil {
		b.lent++
	}
	return err
}

// Release lets the reader fill the batch when the node needs none of its bytes any more.
func (b *Batch) Release() {
	if b.lent == 0 && b.Left() == 0 {
		b.free <- struct{}{}
	}
}

func (b *Batch) reset() {
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
func (b *Batch) hold(f *conversation.Frames, size int) error {
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
