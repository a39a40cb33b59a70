package peer

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"sync"

	"github.com/bbgen/bbgen/runtime/wire"
)

// bulkConn is the bulk stream to a peer: chunks of what the peer fetches and acks
// of what this one does, in both directions.
type bulkConn struct {
	h      *host
	conn   *conn // the envelope stream that it belongs to: they end together
	s      Stream
	frames *frames
	chunk  int // bytes of data in a chunk that the peer takes

	mu     sync.Mutex
	wake   sync.Cond
	asks   chan struct{} // a place for each question that the loop has not heard
	acks   []byte        // frames to be written before the next chunk
	jobs   []*job        // what the peer fetches, in the order in which it asked
	closed bool
}

// job is a payload on its way out.
type job struct {
	id        uint64
	data      wire.Blob // with a share in it
	at, until uint64    // [at, until) may be sent
}

// window is for how many chunks beyond what has arrived there is credit.
const window = 8

func newBulkConn(c *conn, s Stream, f *frames) *bulkConn {
	b := &bulkConn{h: c.h, conn: c, s: s, frames: f, chunk: c.h.limits.Wire.Chunk, asks: make(chan struct{}, maxAsks)}
	if theirs := c.hello.MaxFill; theirs > 0 && theirs < uint64(b.chunk) {
		b.chunk = int(theirs)
	}
	b.wake.L = &b.mu
	f.moves = c.moves
	return b
}

// run reads and writes until the stream ends, and the connection with it.
func (b *bulkConn) run() {
	go func() {
		if err := b.write(); err != nil {
			b.s.Close()
		}
	}()
	go func() {
		err := b.read()
		b.close()
		b.h.post(func() { b.h.bulkEnded(b, err) })
	}()
}

// close ends the stream, and wakes the writer.
func (b *bulkConn) close() {
	b.mu.Lock()
	b.closed = true
	for _, j := range b.jobs {
		j.data.Release()
	}
	b.jobs = nil
	b.mu.Unlock()
	b.wake.Broadcast()
	b.s.Close()
}

// write sends acks first, then the next chunk that there is credit for.
func (b *bulkConn) write() error {
	for {
		acks, c, ok := b.next()
		if !ok {
			return nil
		}
		err := writeAll(b.s, acks, b.h.times.stall)
		if err == nil {
			b.conn.link.sent.Add(int64(len(acks)))
			err = b.writeChunk(&c)
		}
		if c.data != nil {
			c.data.Release()
			goruntime.Gosched() // where there is one core, nobody would hear what is fetched next before all is written
		}
		if err != nil {
			return err
		}
	}
}

// part is a chunk to be written, or none.
type part struct {
	id, at uint64
	size   int
	data   wire.Blob // with a share in it: the job may be gone before it is written
}

func (b *bulkConn) writeChunk(c *part) error {
	if c.size == 0 {
		return nil
	}
	message, size := wire.AppendChunkHead(nil, &wire.Chunk{Bulk: c.id, Offset: c.at}, c.size)
	head := append(wire.AppendLength(nil, size), message...)
	if err := writeAll(b.s, head, b.h.times.stall); err != nil {
		return err
	}
	b.conn.link.sent.Add(int64(len(head) + c.size))
	if data := c.data.Bytes(); data != nil {
		return writeAll(b.s, data[c.at:c.at+uint64(c.size)], b.h.times.stall)
	}
	piece := pieces.Get().(*[pieceBytes]byte)
	defer pieces.Put(piece)
	for at, left := int64(c.at), c.size; left > 0; {
		p := piece[:min(left, pieceBytes)]
		if _, err := c.data.ReadAt(p, at); err != nil {
			return err
		}
		if err := writeAll(b.s, p, b.h.times.stall); err != nil {
			return err
		}
		at, left = at+int64(len(p)), left-len(p)
	}
	return nil
}

// next waits for something to write.
func (b *bulkConn) next() (acks []byte, c part, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if b.closed {
			return nil, c, false
		}
		acks, b.acks = b.acks, nil
		for _, j := range b.jobs {
			if j.at < j.until {
				c = part{id: j.id, at: j.at, size: int(min(j.until-j.at, uint64(b.chunk))), data: j.data}
				j.at += uint64(c.size)
				j.data.Retain()
				return acks, c, true
			}
		}
		if len(acks) > 0 {
			return acks, c, true
		}
		b.wake.Wait()
	}
}

func (b *bulkConn) sendAck(a wire.Ack) {
	m := wire.AppendAck(nil, a)
	b.mu.Lock()
	b.acks = appendFrame(b.acks, m)
	b.mu.Unlock()
	b.wake.Signal()
}

func (b *bulkConn) read() error {
	limit := b.h.limits.Wire.Chunk + wire.ChunkHead
	for {
		size, err := b.frames.length(limit)
		if err != nil {
			return err
		}
		head, err := b.frames.peek(min(size, wire.ChunkHead))
		if err != nil {
			return err
		}
		b.conn.link.received.Add(int64(size))
		if wire.IsAck(head) {
			var m []byte
			if m, err = b.frames.rest(nil, size); err == nil {
				err = b.ack(m)
			}
		} else {
			err = b.take(head, size)
			goruntime.Gosched() // where there is one core, a reader that always finds more would keep the loop from it
		}
		if err != nil {
			return err
		}
	}
}

// ack hears how far the peer is, or that it fetches a payload.
func (b *bulkConn) ack(m []byte) error {
	a, err := wire.ConsumeAck(m)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.job(a.Bulk)
	if i < 0 {
		return b.ask(a)
	}
	j := b.jobs[i]
	if a.Offset >= j.data.Size() {
		b.jobs = slices.Delete(b.jobs, i, i+1)
		j.data.Release()
		return nil
	}
	j.allow(a)
	b.wake.Signal()
	return nil
}

func (b *bulkConn) job(id uint64) int {
	return slices.IndexFunc(b.jobs, func(j *job) bool { return j.id == id })
}

// maxAsks is how many questions for payloads may wait for the loop.
const maxAsks = 64

// ask has the loop look for a payload that the peer fetches. While it has no time
// nothing more is read.
func (b *bulkConn) ask(a wire.Ack) error {
	b.mu.Unlock()
	defer b.mu.Lock()
	select {
	case b.asks <- struct{}{}:
	case <-b.h.ctx.Done():
		return b.h.ctx.Err()
	}
	b.h.post(func() {
		<-b.asks
		b.h.fetched(b, a)
	})
	return nil
}

func (j *job) allow(a wire.Ack) {
	size := j.data.Size()
	j.until = max(j.until, min(a.Offset+min(a.Credit, size), size))
}

// start sends a payload that the peer fetches, from where it has it.
func (b *bulkConn) start(a wire.Ack, data wire.Blob) {
	j := &job{id: a.Bulk, data: data, at: a.Offset, until: a.Offset}
	j.allow(a)
	b.mu.Lock()
	if !b.closed && b.job(a.Bulk) < 0 { // else it was asked for twice
		data.Retain()
		b.jobs = append(b.jobs, j)
	}
	b.mu.Unlock()
	b.wake.Signal()
}

// take reads a chunk of size bytes, whose first are peeked at, to its place.
func (b *bulkConn) take(peeked []byte, size int) error {
	c, head, err := wire.ConsumeChunkHead(peeked, size, &b.h.limits.Wire)
	if err != nil {
		return err
	}
	b.frames.r.Discard(head)
	size -= head
	l := b.conn.link
	l.mu.Lock()
	t := l.inbound[c.Bulk]
	if t == nil || !t.wanted || t.busy {
		l.mu.Unlock()
		return fmt.Errorf("%w: bulk %d", errUnasked, c.Bulk)
	}
	t.busy = true
	l.mu.Unlock()
	err = t.sink.read(b.frames, c, size)
	l.mu.Lock()
	defer l.mu.Unlock()
	t.busy = false
	if t.dropped {
		t.sink.drop()
		return err
	}
	if err != nil {
		b.h.post(func() { b.h.resumeTransfer(l, t) })
		return err
	}
	return b.took(t)
}

// took goes on after a chunk: it says how far the payload is, or gives it to the
// loop. The link is locked.
func (b *bulkConn) took(t *transfer) error {
	data, err := t.sink.done()
	l := b.conn.link
	if (data != nil || err != nil) && l.inbound[t.bulk.ID] == t {
		delete(l.inbound, t.bulk.ID)
	}
	if err != nil {
		t.drop()
		return err
	}
	if data != nil || t.runsDry(b.h) {
		b.sendAck(t.ack(b.h))
	}
	if data != nil {
		b.h.post(func() { b.h.filled(l, t, data) })
	}
	return nil
}
