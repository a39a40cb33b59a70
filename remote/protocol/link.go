package protocol

import (
	"errors"
	"sync"
)

// Link is one end's part of a session: it numbers messages, keeps them until the other
// end has them, and sends them again on a new connection after a break. Several goroutines
// may post.
type Link struct {
	most      int    // messages that are kept before Post waits; 0 is no limit
	mostBytes uint64 // that follow them

	mu      sync.Mutex
	room    sync.Cond      // that there is more room, or an end
	writers sync.WaitGroup // that flush for a reader
	kept    []*parcel      // in order, the other end has none of them
	bytes   uint64         // that follow them
	last    uint64         // the number of the last message
	came    uint64         // all up to this have come
	since   int            // how many have come since the other end was told
	weight  uint64         // and how many bytes followed them
	conn    *Conn          // nil during a break
	sent    uint64         // the last message that was written to conn
	writing bool           // somebody writes to conn
	urgent  []*Message
	err     error // why there will be no more
}

// parcel is a message with what follows it.
type parcel struct {
	m     *Message
	parts [][]byte
	done  func()
}

// After so many messages, or bytes that followed them, the other end is told that they
// have come.
const (
	ackEach  = 32
	ackBytes = 1 << 20
)

// ErrClosed is what becomes of messages to a link that is closed.
var ErrClosed = errors.New("the session is closed")

// NewLink begins a session. Post waits when so many messages are kept, or messages that so
// many bytes follow; 0 is no limit.
func NewLink(most int, mostBytes uint64) *Link {
	l := &Link{most: most, mostBytes: mostBytes}
	l.room.L = &l.mu
	return l
}

// Post sends a message, now or when there is a connection again. Done, if not nil, is
// called when the other end has it, or the link is closed; until then parts must not
// change.
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

// full reports whether a message must wait.
func (l *Link) full(bytes uint64) bool {
	return len(l.kept) > 0 && (l.most > 0 && len(l.kept) >= l.most || l.mostBytes > 0 && l.bytes+bytes > l.mostBytes)
}

// Tell sends a message without a number, if there is a connection: it is not sent again.
func (l *Link) Tell(m *Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.urgent = append(l.urgent, m)
		l.flushBeside()
	}
}

// flushBeside is flush for who reads: a reader that waited for a writer could have both
// ends wait for each other.
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

// flush writes what is to be written, unless somebody does that already: the lock is not
// held meanwhile.
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
			conn.Close() // whoever reads it hears of it
		}
	}
	l.writing = false
}

// nextToWrite is the next message for the connection, with what follows it.
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

// Attach goes on with a connection, whose other end has all messages up to a number. What
// it does not have is sent again.
func (l *Link) Attach(c *Conn, acked uint64, first ...*Message) {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		c.Close()
		return
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
}

// Detach says that a connection is broken.
func (l *Link) Detach(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == c {
		l.conn = nil
	}
}

// Fresh reports whether a message has not come before. A gap is an error.
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

// Took notes that a fresh message has come whole, with what followed it.
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

// Have is the number up to which all messages have come.
func (l *Link) Have() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.came
}

// acked forgets messages that the other end has.
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

// Close ends the link: messages that are kept are given up.
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
