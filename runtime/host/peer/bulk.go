package peer

import (
	"fmt"
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
	acks   []byte // frames to be written before the next chunk
	jobs   []*job // what the peer fetches, in the order in which it asked
	closed bool
}

// job is a payload on its way out.
type job struct {
	id        uint64
	data      []byte // never changes
	at, until uint64 // [at, until) may be sent
}

// window is for how many chunks beyond what has arrived there is credit.
const window = 8

func newBulkConn(c *conn, s Stream, f *frames) *bulkConn {
	b := &bulkConn{h: c.h, conn: c, s: s, frames: f, chunk: c.h.limits.Wire.Chunk}
	if theirs := c.hello.MaxFill; theirs > 0 && theirs < uint64(b.chunk) {
		b.chunk = int(theirs)
	}
	b.wake.L = &b.mu
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
		b.mu.Lock()
		b.closed = true
		b.mu.Unlock()
		b.wake.Broadcast()
		b.s.Close()
		b.h.post(func() { b.h.bulkEnded(b, err) })
	}()
}

// write sends acks first, then the next chunk that there is credit for.
func (b *bulkConn) write() error {
	var head []byte
	for {
		acks, c, ok := b.next()
		if !ok {
			return nil
		}
		if err := writeAll(b.s, acks, b.h.times.stall); err != nil {
			return err
		}
		b.conn.link.sent.Add(int64(len(acks)))
		if len(c.Data) == 0 {
			continue
		}
		c.CRC = wire.CRC(c.Data)
		message, size := wire.AppendChunkHead(nil, &c)
		head = append(wire.AppendLength(head[:0], size), message...)
		if err := writeAll(b.s, head, b.h.times.stall); err != nil {
			return err
		}
		if err := writeAll(b.s, c.Data, b.h.times.stall); err != nil {
			return err
		}
		b.conn.link.sent.Add(int64(len(head) + len(c.Data)))
	}
}

// next waits for something to write.
func (b *bulkConn) next() (acks []byte, c wire.Chunk, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if b.closed {
			return nil, c, false
		}
		acks, b.acks = b.acks, nil
		for _, j := range b.jobs {
			if j.at < j.until {
				n := min(j.until-j.at, uint64(b.chunk))
				c = wire.Chunk{Bulk: j.id, Offset: j.at, Data: j.data[j.at : j.at+n]}
				j.at += n
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
	var buf []byte
	limit := b.h.limits.Wire.Chunk + 64
	for {
		var err error
		if buf, err = b.frames.read(buf[:0], limit); err != nil {
			return err
		}
		b.conn.link.received.Add(int64(len(buf)))
		if wire.IsAck(buf) {
			err = b.ack(buf)
		} else {
			err = b.take(buf)
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
	i := slices.IndexFunc(b.jobs, func(j *job) bool { return j.id == a.Bulk })
	if i < 0 {
		b.h.post(func() { b.h.fetched(b, a) })
		return nil
	}
	j := b.jobs[i]
	if a.Offset >= uint64(len(j.data)) {
		b.jobs = slices.Delete(b.jobs, i, i+1)
		return nil
	}
	j.allow(a)
	b.wake.Signal()
	return nil
}

func (j *job) allow(a wire.Ack) {
	size := uint64(len(j.data))
	j.until = max(j.until, min(a.Offset+min(a.Credit, size), size))
}

// start sends a payload that the peer fetches, from where it has it.
func (b *bulkConn) start(a wire.Ack, data []byte) {
	j := &job{id: a.Bulk, data: data, at: a.Offset, until: a.Offset}
	j.allow(a)
	b.mu.Lock()
	b.jobs = append(b.jobs, j)
	b.mu.Unlock()
	b.wake.Signal()
}

// take puts a chunk in its place.
func (b *bulkConn) take(m []byte) error {
	c, err := wire.ConsumeChunk(m, &b.h.limits.Wire)
	if err != nil {
		return err
	}
	l := b.conn.link
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.inbound[c.Bulk]
	if t == nil || !t.wanted {
		return fmt.Errorf("%w: bulk %d", errUnasked, c.Bulk)
	}
	if err := t.assembly.Add(c); err != nil {
		return err
	}
	data, done, err := t.assembly.Done()
	if done {
		delete(l.inbound, c.Bulk)
	}
	if err != nil {
		b.h.post(func() { b.h.release(t) })
		return err
	}
	if done || t.assembly.Offset()-t.told >= window/2*uint64(b.h.limits.Wire.Chunk) {
		b.sendAck(t.ack(b.h))
	}
	if done {
		b.h.post(func() { b.h.filled(b.conn, t, data) })
	}
	return nil
}

// transfer is a payload on its way in. It outlives the connection, and goes on
// where it was on the next one.
type transfer struct {
	bulk     wire.Bulk
	assembly *wire.Assembly
	wanted   bool // on this connection
	told     uint64
}

// ack says how far a transfer is and how much more may come.
func (t *transfer) ack(h *host) wire.Ack {
	t.told = t.assembly.Offset()
	return wire.Ack{Bulk: t.bulk.ID, Offset: t.told, Credit: window * uint64(h.limits.Wire.Chunk)}
}
