package protocol

import (
	"errors"
	"sync"
)

// Link is one end of a session: it numbers messages, keeps them until the other end has received them, and
// sends them again on a new connection after a break. Post is safe for concurrent use.
type Link struct {
	most      int    // the number of kept messages from which on Post waits; 0 is no limit
	mostBytes uint64 // the same for the bytes after them

	mu      sync.Mutex
	room    sync.Cond      // signals room, or the end
	writers sync.WaitGroup // calls of flushBeside
	kept    []*parcel      // in their order; the other end has not acknowledged them
	bytes   uint64         // after them
	last    uint64         // the number of the last message
	came    uint64         // all messages up to this one have been received
	since   int            // the number of messages since the last acknowledgement
	weight  uint64         // and the bytes after them
	conn    *Conn          // nil during a break
	sent    uint64         // the latest message that was written to conn
	writing bool           // a goroutine writes to conn
	urgent  []*Message
	err     error // why the link has ended
}

// parcel is a message with the data after it.
type parcel struct {
	m     *Message
	parts [][]byte
	done  func()
}

// An acknowledgement is sent after this number of messages, or of bytes after them.
const (
	ackEach  = 32
	ackBytes = 1 << 20
)

// ErrClosed is the error of messages to a closed link.
var ErrClosed = errors.New("the session is closed")

// NewLink begins a session. Post waits while this number of messages is kept, or this number of bytes after
// them; 0 is no limit.
func NewLink(most int, mostBytes uint64) *Link {
	l := &Link{most: most, mostBytes: mostBytes}
	l.room.L = &l.mu
	return l
}

// Post sends a message, now or after a reconnection. Done, if not nil, is called when the other end has
// received it, or the link is closed; until then parts must not change.
func (l *Link) Post(m *Message, done func(), parts ...[]byte) (seq uint64, err error) {
	l.mu.Lock()
	for l.err == nil && l.full(m.Bytes) {
		l.room.Wait()
	}
	if l.err != nil {
		l.mu.Unlock()
		if done != nil {
			done()
		}
		return 0, l.err
	}
	l.last++
	seq = l.last
	m.Seq = seq
	l.kept = append(l.kept, &parcel{m, parts, done})
	l.bytes += m.Bytes
	l.flush()
	l.mu.Unlock()
	return seq, nil
}

// full reports whether a message has to wait.
func (l *Link) full(bytes uint64) bool {
	return len(l.kept) > 0 && (l.most > 0 && len(l.kept) >= l.most || l.mostBytes > 0 && l.bytes+bytes > l.mostBytes)
}

// Tell sends a message without a number if there is a connection. It is not sent again.
func (l *Link) Tell(m *Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.urgent = append(l.urgent, m)
		l.flushBeside()
	}
}

// flushBeside calls flush in a goroutine, for callers that read: if a reader waited for a writer, both ends
// might wait for each other.
func (l *Link) flushBeside() {
	if l.writing || l.conn == nil {
		return
	}
	l.writers.Go(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.flush()
	})
}

// flush writes the waiting messages, unless another goroutine does. It does not hold the lock meanwhile.
func (l *Link) flush() {
	if l.writing {
		return
	}
	l.writing = true
	for l.conn != nil {
		m, parts := l.nextToWrite()
		if m == nil {
			break
		}
		conn := l.conn
		l.since, l.weight = 0, 0
		l.mu.Unlock()
		err := conn.Send(m, parts...)
		l.mu.Lock()
		if err != nil && conn == l.conn {
			l.conn = nil
			conn.Close() // its reader gets an error
		}
	}
	l.writing = false
}

// nextToWrite returns the next message for the connection, with the data after it.
func (l *Link) nextToWrite() (*Message, [][]byte) {
	if len(l.urgent) > 0 {
		m := *l.urgent[0]
		l.urgent = l.urgent[1:]
		m.Ack = l.came
		return &m, nil
	}
	if l.sent == l.last {
		return nil, nil
	}
	first := l.last - uint64(len(l.kept)) + 1
	l.sent = max(l.sent+1, first)
	p := l.kept[l.sent-first]
	m := *p.m
	m.Ack = l.came
	return &m, p.parts
}

// Attach continues with a new connection. The other end has all messages up to a number; later ones are sent
// again. It is an error if that number is none of a message.
func (l *Link) Attach(c *Conn, acked uint64, first ...*Message) error {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		c.Close()
		return nil
	}
	if acked > l.last {
		defer l.mu.Unlock()
		return malformed("message %d is acknowledged, the last one is %d", acked, l.last)
	}
	old := l.conn
	l.acked(acked)
	l.conn, l.sent = c, max(acked, l.last-uint64(len(l.kept)))
	l.urgent = first
	l.flushBeside()
	l.mu.Unlock()
	if old != nil {
		old.Close()
	}
	return nil
}

// Detach records that a connection is broken.
func (l *Link) Detach(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == c {
		l.conn = nil
	}
}

// Fresh reports whether a message is not a duplicate. A gap is an error.
func (l *Link) Fresh(m *Message) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.Ack > l.last {
		return false, malformed("message %d is acknowledged, the last one is %d", m.Ack, l.last)
	}
	l.acked(m.Ack)
	if m.Seq > l.came+1 {
		return false, malformed("message %d follows message %d", m.Seq, l.came)
	}
	return m.Seq == 0 || m.Seq == l.came+1, nil
}

// Took records that a message was received completely, with the data after it.
func (l *Link) Took(m *Message) {
	if m.Seq == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.came = m.Seq
	l.weight += m.Bytes
	if l.since++; l.conn != nil && (l.since >= ackEach || l.weight >= ackBytes) {
		l.urgent = append(l.urgent, &Message{Kind: Received})
		l.since, l.weight = 0, 0
		l.flushBeside()
	}
}

// Have returns the number up to which all messages were received.
func (l *Link) Have() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.came
}

// Kept returns the number of messages that the other end has not acknowledged.
func (l *Link) Kept() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.kept)
}

// acked drops messages that the other end has received.
func (l *Link) acked(seq uint64) {
	first := l.last - uint64(len(l.kept)) + 1
	for ; len(l.kept) > 0 && first <= seq; first++ {
		l.let(l.kept[0])
		l.kept = l.kept[1:]
	}
	l.room.Broadcast()
}

func (l *Link) let(p *parcel) {
	l.bytes -= p.m.Bytes
	if p.done != nil {
		p.done()
	}
}

// Close ends the link and drops its messages.
func (l *Link) Close(err error) {
	l.end(err)
	l.writers.Wait()
}

func (l *Link) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	l.err = err
	for _, p := range l.kept {
		l.let(p)
	}
	l.kept, l.sent = nil, l.last
	l.room.Broadcast()
	if l.conn != nil {
		l.conn.Close()
		l.conn = nil
	}
}
