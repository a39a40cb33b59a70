package collective

import (
	"fmt"
	"slices"
)

// earlyMessage is a message that arrived before its call or epoch began.
type earlyMessage struct {
	from int
	Message
}

// backlog is the number and size of a rank's early messages.
type backlog struct{ count, bytes int }

// keepEarly stores a message for later. The limits are what a rank that follows the protocol may send: for two
// calls of a stream in two epochs, what ranks may receive that have not begun them. What comes again, as on another
// connection, does not count again.
func (g *Group) keepEarly(from int, m *Message) error {
	if m.Stream == g.enter { // a call in which this rank joins begins with that size
		if err := checkLength(m); err != nil {
			return err
		}
	}
	if g.hasEarly(from, m) {
		return nil
	}
	b := &g.held[from]
	n := len(g.streams)
	size := 4 * n * (g.config.Eager + 64*g.config.Ranks)
	count := 4 * n * (g.config.Eager/g.config.Chunk + 4*g.config.Ranks + 64)
	if b.count+1 > count || len(m.Data) > size-b.bytes {
		return fmt.Errorf("%w: %d messages of %d bytes have come for calls that have not begun", ErrOverflow, b.count, b.bytes)
	}
	e := earlyMessage{from, *m}
	e.Data, e.Memory = slices.Clone(m.Data), nil
	b.count++
	b.bytes += len(e.Data)
	g.early = append(g.early, e)
	return nil
}

// hasEarly reports whether a message is among the early ones.
func (g *Group) hasEarly(from int, m *Message) bool {
	for i := range g.early {
		e := &g.early[i]
		if e.from == from && e.Call == m.Call && e.Chunk == m.Chunk && e.Equal(m) {
			return true
		}
	}
	return false
}

// replay receives the early messages of a call that has begun.
func (g *Group) replay(c *call) {
	g.receiveAgain(func(e *earlyMessage) bool {
		return e.Stream == c.stream && e.Call == c.number && e.Epoch == g.epoch && (e.Type == Data || e.Type == Ready || e.Type == Failed)
	})
}

// receiveAgain removes the selected messages from the early ones, and receives them.
func (g *Group) receiveAgain(which func(e *earlyMessage) bool) {
	var now []earlyMessage
	g.early = slices.DeleteFunc(g.early, func(e earlyMessage) bool {
		if !which(&e) {
			return false
		}
		b := &g.held[e.from]
		b.count--
		b.bytes -= len(e.Data)
		now = append(now, e)
		return true
	})
	if len(g.early) == 0 {
		g.early = nil
	}
	for i := range now {
		if g.err != nil {
			return
		}
		if err := g.receive(now[i].from, &now[i].Message); err != nil {
			g.refused = append(g.refused, &RankError{now[i].from, err})
		}
	}
}

// Refused returns the errors of early messages since the last call.
func (g *Group) Refused() []error {
	list := g.refused
	g.refused = nil
	return list
}
