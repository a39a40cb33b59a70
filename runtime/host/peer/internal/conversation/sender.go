package conversation

import (
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Sender writes a bulk stream: acknowledgements of received chunks, and chunks of the payloads that the peer
// fetches. One goroutine writes; all methods are safe for concurrent use.
type Sender struct {
	chunk int // bytes of data in a chunk that the peer accepts

	mu     sync.Mutex
	wake   sync.Cond
	acks   []byte // messages to be written before the next chunk
	jobs   []*job // the payloads that the peer fetches, in the order of its requests
	closed bool
}

// job is a payload that is being sent.
type job struct {
	id        uint64
	data      wire.Blob // with a reference
	at, until uint64    // [at, until) may be sent
}

// NewSender returns a Sender with chunks of so many bytes.
func NewSender(chunk int) *Sender {
	s := &Sender{chunk: chunk}
	s.wake.L = &s.mu
	return s
}

// Tell queues a message before the next chunk.
func (s *Sender) Tell(message []byte) {
	s.mu.Lock()
	s.acks = AppendFrame(s.acks, message)
	s.mu.Unlock()
	s.wake.Signal()
}

// Acknowledge acknowledges a payload, or requests it.
func (s *Sender) Acknowledge(a wire.Ack) { s.Tell(wire.AppendAck(nil, a)) }

// Start sends a payload that the peer fetches, from the offset of the request. It holds a reference until the
// peer has received it.
func (s *Sender) Start(a wire.Ack, data wire.Blob) {
	j := &job{id: a.Bulk, data: data, at: a.Offset, until: a.Offset}
	j.allow(a)
	s.mu.Lock()
	if !s.closed && s.job(a.Bulk) < 0 { // otherwise it was requested twice
		data.Retain()
		s.jobs = append(s.jobs, j)
	}
	s.mu.Unlock()
	s.wake.Signal()
}

// Heard handles an acknowledgement of the peer. It returns false if no payload of that name is being sent: then
// it is a request.
func (s *Sender) Heard(a wire.Ack) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.job(a.Bulk)
	if i < 0 {
		return false
	}
	j := s.jobs[i]
	if a.Offset >= j.data.Size() {
		s.jobs = slices.Delete(s.jobs, i, i+1)
		j.data.Release()
		return true
	}
	j.allow(a)
	s.wake.Signal()
	return true
}

func (s *Sender) job(id uint64) int {
	return slices.IndexFunc(s.jobs, func(j *job) bool { return j.id == id })
}

func (j *job) allow(a wire.Ack) {
	size := j.data.Size()
	j.until = max(j.until, min(a.Offset+min(a.Credit, size), size))
}

// Close ends the writer, and releases all payloads.
func (s *Sender) Close() {
	s.mu.Lock()
	s.closed = true
	for _, j := range s.jobs {
		j.data.Release()
	}
	s.jobs = nil
	s.mu.Unlock()
	s.wake.Broadcast()
}

// Write writes until Close or an error: acknowledgements first, then the next chunk with credit. Before each
// write it calls sent with the number of bytes.
func (s *Sender) Write(to Drain, stall time.Duration, sent func(n int)) error {
	for {
		acks, c, ok := s.next()
		if !ok {
			return nil
		}
		sent(len(acks))
		err := WriteAll(to, acks, stall)
		if err == nil {
			err = c.write(to, stall, sent)
		}
		if c.data != nil {
			c.data.Release()
			goruntime.Gosched() // on a single core, the next request would otherwise be read only after all chunks are written
		}
		if err != nil {
			return err
		}
	}
}

// next waits for data to write.
func (s *Sender) next() (acks []byte, c part, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if s.closed {
			return nil, c, false
		}
		acks, s.acks = s.acks, nil
		for _, j := range s.jobs {
			if j.at < j.until {
				c = part{id: j.id, at: j.at, size: int(min(j.until-j.at, uint64(s.chunk))), data: j.data}
				j.at += uint64(c.size)
				j.data.Retain()
				return acks, c, true
			}
		}
		if len(acks) > 0 {
			return acks, c, true
		}
		s.wake.Wait()
	}
}

// part is a chunk to be written, or none.
type part struct {
	id, at uint64
	size   int
	data   wire.Blob // with a reference: the job may end before the part is written
}

func (c *part) write(to Drain, stall time.Duration, sent func(n int)) error {
	if c.size == 0 {
		return nil
	}
	message, size := wire.AppendChunkHead(nil, &wire.Chunk{Bulk: c.id, Offset: c.at}, c.size)
	head := append(wire.AppendLength(nil, size), message...)
	if err := WriteAll(to, head, stall); err != nil {
		return err
	}
	sent(len(head) + c.size)
	if data := c.data.Bytes(); data != nil {
		return WriteAll(to, data[c.at:c.at+uint64(c.size)], stall)
	}
	piece := pieces.Get().(*[pieceBytes]byte)
	defer pieces.Put(piece)
	for at, left := int64(c.at), c.size; left > 0; {
		p := piece[:min(left, pieceBytes)]
		if _, err := c.data.ReadAt(p, at); err != nil {
			return err
		}
		if err := WriteAll(to, p, stall); err != nil {
			return err
		}
		at, left = at+int64(len(p)), left-len(p)
	}
	return nil
}
