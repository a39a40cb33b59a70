package collective

// queue is the messages for one rank, in order.
type queue struct{ list []sent }

// sent is a message that waits to be pulled: a step of a chunk's plan, or message.
type sent struct {
	call    *call
	gen     int // of the call when it was queued: later generations have other plans
	chunk   int
	step    int // of its plan
	message *Message
}

// queueMessage queues a message that belongs to no chunk.
func (g *Group) queueMessage(to int, m Message) {
	g.outbox[to].list = append(g.outbox[to].list, sent{message: &m})
}

// maxReplies is how many messages may wait for a rank that is still answered: a rank that does not read its
// answers gets no more.
const maxReplies = 1 << 10

// reply sends an answer to a message, unless too many messages wait for the rank.
func (g *Group) reply(to int, m Message) {
	if len(g.outbox[to].list) < maxReplies {
		g.queueMessage(to, m)
	}
}

// post queues the send that is step at of a chunk's plan. A large value waits until the receiver is ready.
func (g *Group) post(c *call, chunk, at int) {
	to := c.plan(chunk)[at].peer
	x := sent{call: c, gen: c.gen, chunk: chunk, step: at}
	if c.large[to] && !c.ready[to] {
		c.blocked[to] = append(c.blocked[to], x)
		return
	}
	q := &g.outbox[c.members[to]]
	q.list = append(q.list, x)
}

// Waits reports whether a message for a rank waits to be pulled.
func (g *Group) Waits(to int) bool {
	q := &g.outbox[to]
	for len(q.list) > 0 && q.list[0].isStale() {
		q.drop()
	}
	return len(q.list) > 0
}

func (x *sent) isStale() bool {
	return x.message == nil && (x.gen != x.call.gen || x.call.state == over)
}

func (q *queue) drop() {
	q.list[0] = sent{}
	if q.list = q.list[1:]; len(q.list) == 0 {
		q.list = nil
	}
}

// Pull returns the next message for a rank. Its data are borrowed until the next call of the group.
func (g *Group) Pull(to int) (Message, bool) {
	g.completeSend()
	if !g.Waits(to) {
		return Message{}, false
	}
	q := &g.outbox[to]
	x := q.list[0]
	q.drop()
	if x.message != nil {
		return *x.message, true
	}
	g.pulled = &x
	return g.chunkMessage(&x), true
}

// chunkMessage returns the message of a step that sends.
func (g *Group) chunkMessage(x *sent) Message {
	c := x.call
	plan := c.plan(x.chunk)
	before := 0
	for _, s := range plan[:x.step] {
		if s.do == send && s.peer == plan[x.step].peer {
			before++
		}
	}
	m := Message{Stream: c.stream, Type: Data, Call: c.number, Epoch: g.epoch, Chunk: x.chunk, Step: before, Length: c.length(), Algorithm: c.algorithm}
	if c.isConfirmation(x.chunk) {
		m.Chunk, m.Data = lastChunk, c.links.append(nil)
	} else {
		m.Data, m.Memory = c.held(&c.chunks[x.chunk]), c.heldIn(x.chunk)
	}
	return m
}

// completeSend completes the send that was pulled last.
func (g *Group) completeSend() {
	x := g.pulled
	if x == nil {
		return
	}
	g.pulled = nil
	if x.isStale() {
		return
	}
	ch := &x.call.chunks[x.chunk]
	ch.unsent--
	if ch.unsent == 0 {
		ch.partial.release() // it is sent only once
		ch.pc += ch.run
		g.advance(x.call, x.chunk)
	}
}
