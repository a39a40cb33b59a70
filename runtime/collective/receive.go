package collective

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Receive handles a message of another rank. Its data are borrowed until Receive returns. It returns an error
// if the message is wrong; a [RankError] names the sender.
func (g *Group) Receive(from int, m *Message) error { return g.ReceiveIn(from, m, nil) }

// ReceiveIn is [Group.Receive] for data in memory with a reference count and no other readers. The group may
// overwrite the data and retain the memory.
func (g *Group) ReceiveIn(from int, m *Message, memory *tensor.Memory) error {
	g.completeSend()
	in := *m
	in.Memory = memory
	m = &in
	if from < 0 || from >= g.config.Ranks || from == g.config.Self {
		return fmt.Errorf("%w: from rank %d of %d", ErrMessage, from, g.config.Ranks)
	}
	if m.Stream < 0 || m.Stream >= len(g.streams) || m.Type >= numTypes {
		return &RankError{from, fmt.Errorf("%w: of type %d and stream %d", ErrMessage, m.Type, m.Stream)}
	}
	if g.err != nil {
		g.sendGone(from, m)
		return nil
	}
	if err := g.receive(from, m); err != nil {
		return &RankError{from, err}
	}
	return nil
}

// sendGone tells a rank that continues that this one has stopped.
func (g *Group) sendGone(from int, m *Message) {
	if m.Type != LeftOut && m.Type != Gone {
		g.reply(from, Message{Type: Gone, Epoch: m.Epoch})
	}
}

func (g *Group) receive(from int, m *Message) error {
	switch {
	case m.Type == Join:
		g.admit(from, m)
		return nil
	case g.waits && m.Type == Welcome:
		return g.join(from, m)
	case g.waits && m.Type < LeftOut && m.Epoch.Number > g.epoch.Number:
		return g.keepEarly(from, m)
	case g.waits || m.Type == Welcome: // a duplicate
		return nil
	case g.lost[from] && m.Epoch.Number <= g.epoch.Number: // a rank that has reported another one as lost ignores its messages
		return nil
	case m.Type == LeftOut:
		if m.Epoch.Number >= g.epoch.Number && m.Epoch != g.epoch {
			g.handleLeftOut(from)
		}
		return nil
	case m.Epoch.Number > g.epoch.Number:
		return g.keepEarly(from, m)
	case g.at[from] < 0:
		g.reply(from, Message{Type: LeftOut, Epoch: g.epoch})
		return nil
	case m.Epoch.Number < g.epoch.Number:
		g.sendOutcome(from, m)
		return nil
	case m.Epoch != g.epoch:
		return g.handleOtherMembers(from)
	}
	switch m.Type {
	case Lost:
		return g.handleReport(from, m)
	case Decided:
		return g.handleDecision(m)
	case Gone:
		g.Down(from)
		return nil
	}
	if g.frozen {
		return nil // it comes again in the next epoch, if any rank needs it
	}
	return g.receiveOf(from, m)
}

// handleOtherMembers handles a message of a rank that has other members. It cannot take part any more, so it counts as lost:
// if this rank stopped instead, one rank could end all others.
func (g *Group) handleOtherMembers(from int) error {
	if g.config.IfLost == Fail {
		g.sendReport(g.report(g.only(from)), g.live(g.only(from)))
		g.stop(&RankError{from, ErrEpoch})
		return nil
	}
	g.Down(from)
	return ErrEpoch
}

// receiveOf handles a message about a call.
func (g *Group) receiveOf(from int, m *Message) error {
	s := &g.streams[m.Stream]
	c := g.find(m.Stream, m.Call)
	switch {
	case m.Type == Ask:
		return g.answer(from, c, m)
	case s.first == unknown: // others have the result of Enter already, from which this rank will know its next call
		return g.keepEarly(from, m)
	case m.Call-s.next >= uint64(g.config.Calls) && m.Call >= s.next && !(m.Stream == g.enter && m.Call == g.admitted[from].since):
		return fmt.Errorf("%w: call %d, the next one here is %d", ErrOrder, m.Call, s.next)
	case c == nil && m.Call < s.next, c != nil && c.state == over:
		g.answerOld(from, m)
		return nil
	case c == nil || c.state == queued:
		return g.keepCall(from, m, c)
	case c.position(from) < 0:
		return fmt.Errorf("%w: it does not take part in %s", ErrMessage, c.text())
	}
	switch {
	case m.Type == Failed:
		g.receiveFailed(from, c, m)
		return nil
	case m.Algorithm != c.algorithm && !c.isEnter():
		return g.handleOtherAlgorithm(c, m)
	case m.Type == Ready:
		return g.receiveReady(from, c, m)
	}
	return g.receiveData(from, c, m)
}

// keepCall keeps a message of a call that has not begun. In a call of Enter in which this rank joins, the
// message tells the size, with which the call can begin.
func (g *Group) keepCall(from int, m *Message, c *call) error {
	err := g.keepEarly(from, m)
	if c != nil && c.isEnter() {
		g.startNext(m.Stream)
	}
	return err
}

// answerOld tells a rank that a call has ended here, unless it knows.
func (g *Group) answerOld(from int, m *Message) {
	if m.Type == Failed {
		return
	}
	reason := g.streams[m.Stream].failureOf(m.Call)
	if reason == nil {
		reason = ErrForgotten
	}
	g.reply(from, g.failed(m.Stream, m.Call, reason))
}

// answer tells a rank that waits in a call if the call has failed here. If not, the awaited message is sent
// without this, unless the rank waits for one by another algorithm.
func (g *Group) answer(from int, c *call, m *Message) error {
	if err := g.streams[m.Stream].failureOf(m.Call); err != nil {
		g.reply(from, g.failed(m.Stream, m.Call, err))
	}
	if c != nil && c.state == working && m.Algorithm != Auto && c.algorithm != Auto && m.Algorithm != c.algorithm {
		return g.handleOtherAlgorithm(c, m)
	}
	return nil
}

// receiveFailed ends a call that another rank cannot take part in.
func (g *Group) receiveFailed(from int, c *call, m *Message) {
	reason := ErrAborted
	if m.Step < len(reasons) {
		reason = reasons[m.Step]
	}
	switch {
	case reason == ErrForgotten && c.state == holding: // the answer to a duplicate
	case c.delivered: // the sender will not confirm the call
		g.removeCall(c)
	default:
		g.fail(c, g.blamed(from, m, reason))
	}
}

// receiveReady sends the chunks that have waited until a rank is ready.
func (g *Group) receiveReady(from int, c *call, m *Message) error {
	at := c.position(from)
	if !g.agree(from, c, m) {
		return nil
	}
	if !c.large[at] && c.isEnter() {
		return nil // a joining rank does not know the giver and the size
	}
	if !c.large[at] {
		return fmt.Errorf("%w: ready for %s, which sends it little", ErrMessage, c.text())
	}
	if c.ready[at] {
		return nil
	}
	c.ready[at] = true
	q := &g.outbox[from]
	q.list = append(q.list, c.blocked[at]...)
	c.blocked[at] = nil
	return nil
}

// agree reports whether a rank's value has the same size as here. If not, the call fails on all ranks.
func (g *Group) agree(from int, c *call, m *Message) bool {
	if m.Length == c.length() || c.isEnter() { // in Enter only the giver has a value
		return true
	}
	if !c.delivered {
		g.failAll(c, &RankError{from, fmt.Errorf("%w: %d elements there, %d here", ErrMismatch, m.Length, c.length())})
	}
	return false
}

// handleOtherAlgorithm handles a message by another algorithm than here. If it depends on links, the ranks may have been
// told different things about these, and choose again without them.
func (g *Group) handleOtherAlgorithm(c *call, m *Message) error {
	if c.spec.Algorithm != Auto || g.static || !slices.Contains(c.spec.algorithms(), m.Algorithm) {
		return fmt.Errorf("%w: by %v, want %v", ErrMessage, m.Algorithm, c.algorithm)
	}
	g.change(&report{doubts: true})
	return nil
}

// receiveData handles the data of a chunk.
func (g *Group) receiveData(from int, c *call, m *Message) error {
	if !g.agree(from, c, m) {
		return nil
	}
	at, err := c.find(c.position(from), m)
	if err != nil {
		return err
	}
	ch := &c.chunks[at.chunk]
	if _, come := c.pending[at]; come || at.step < ch.pc {
		return nil // a duplicate
	}
	if c.isConfirmation(at.chunk) {
		if _, err := readLinks(m.Data); err != nil {
			return err
		}
	} else if c.spec.Finite && !c.spec.finiteSent(m.Data) {
		g.failAll(c, &RankError{from, ErrNotFinite})
		return nil
	}
	if at.step > ch.pc || ch.unsent > 0 || c.isConfirmation(at.chunk) && c.state != holding {
		if c.pending == nil {
			c.pending = map[place]piece{}
		}
		c.pending[at] = m.keep()
		return nil
	}
	g.step(c, at.chunk, piece{m.Data, m.Memory})
	g.advance(c, at.chunk)
	return nil
}

// find returns the step for which a message is.
func (c *call) find(from int, m *Message) (place, error) {
	at := m.Chunk
	if at == lastChunk {
		at = len(c.chunks) - 1
	} else if at < 0 || at >= len(c.chunks)-1 {
		return place{}, fmt.Errorf("%w: chunk %d of %d of %s", ErrMessage, at, len(c.chunks)-1, c.text())
	}
	if want := c.messageBytes(at); len(m.Data) != want {
		return place{}, fmt.Errorf("%w: chunk %d of %s has %d bytes, want %d", ErrMessage, m.Chunk, c.text(), len(m.Data), want)
	}
	before := m.Step
	for i, s := range c.plan(at) {
		if s.do.receives() && s.peer == from {
			if before == 0 {
				return place{at, i}, nil
			}
			before--
		}
	}
	return place{}, fmt.Errorf("%w: message %d of chunk %d of %s is none of its plan", ErrMessage, m.Step, m.Chunk, c.text())
}
