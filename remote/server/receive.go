package server

import (
	"fmt"

	"github.com/bbgen/bbgen/remote/protocol"
)

// maxAnswers is the maximum number of answers that the client has not acknowledged. A client waits for each of its answers.
const maxAnswers = 1 << 14

// receive handles a message, or passes it to a stream. It reports whether the session has ended.
func (x *session) receive(conn *protocol.Conn, m *protocol.Message) (over bool, err error) {
	fresh, err := x.link.Fresh(m)
	if err != nil {
		return false, err
	}
	if x.link.Kept() > maxAnswers {
		return false, fmt.Errorf("%w: %d answers are not acknowledged", protocol.ErrMalformed, maxAnswers)
	}
	if !fresh {
		return false, conn.Skip(m.Bytes)
	}
	b, err := x.body(conn, m)
	if err != nil {
		return false, err
	}
	x.link.Took(m)
	switch m.Kind {
	case protocol.Ping:
		x.link.Tell(&protocol.Message{Kind: protocol.Received})
	case protocol.Received:
	case protocol.Close:
		x.answer(m, nil)
		return true, nil
	case protocol.Offer:
		x.offer(m)
	case protocol.Release:
		x.store.release(m.In)
	case protocol.Forget:
		x.graphs.forget(string(m.Blob))
	case protocol.Seed:
		x.seeds = seeds{number: uint32(m.Number)}
	default:
		s := x.stream(m.Stream)
		if s == nil {
			return false, fmt.Errorf("%w: stream %d would be one more than the limit of %d", protocol.ErrMalformed, m.Stream, maxStreams)
		}
		return false, x.work(s, m, b)
	}
	return false, nil
}

// work runs the messages of a stream, in their order.
func (x *session) work(s *stream, m *protocol.Message, b body) error {
	switch m.Kind {
	case protocol.Register:
		x.register(s, m, b)
	case protocol.Graph:
		x.load(s, m, b)
	case protocol.Execute:
		x.execute(s, m)
	case protocol.Run:
		x.run(s, m)
	case protocol.Read:
		x.read(s, m)
	case protocol.Sync:
		x.sync(s, m)
	case protocol.Describe:
		x.enqueue(s, func() { x.describe(m) })
	case protocol.Fetch:
		x.fetch(s, m)
	default:
		return fmt.Errorf("%w: kind %d", protocol.ErrMalformed, m.Kind)
	}
	return nil
}

// answer tells the client the outcome of a message.
func (x *session) answer(m *protocol.Message, f *protocol.Failure) {
	x.link.Post(&protocol.Message{Kind: protocol.Answer, To: m.To, Failure: shortened(f)}, nil)
}

// maxText is the maximum length of an error text for the client, as data can make it long.
const maxText = 4 << 10

func shortened(f *protocol.Failure) *protocol.Failure {
	if f == nil {
		return nil
	}
	c := *f
	c.Text, c.Op = printable(c.Text, maxText), printable(c.Op, 256)
	return &c
}
