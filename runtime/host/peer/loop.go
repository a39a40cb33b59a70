package peer

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/fault"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
)

// run drives the node until it has stopped.
func (h *host) run(ctx context.Context) error {
	defer h.cancel()
	h.hello, h.undecided, h.logLimits = h.node.Hello(), conversation.NewUndecided(h.budget.greetings), logLimits{}
	h.hello.Introduces = true
	h.clock = clock{began: time.Now()}
	go h.accept()
	for _, l := range h.links {
		if l.keep() {
			h.dial(l)
		}
	}
	for _, a := range h.strangers {
		go h.meet(a, h.hello)
	}
	stop := context.AfterFunc(ctx, func() { h.Post(h.Stop) })
	defer stop()
	pings := time.NewTicker(h.Times.Ping)
	defer pings.Stop()
	wake := time.NewTimer(0)
	defer wake.Stop()
	for {
		h.Mail.Run()
		yielded := h.poll()
		if h.finish() {
			break
		}
		if yielded || h.feedMore() {
			continue
		}
		h.collect()
		if at, ok := h.node.WakeAt(); ok {
			wake.Reset(time.Duration(max(at-h.Now(), 0)))
		}
		select {
		case <-h.Mail.Wake():
		case <-wake.C:
		case <-pings.C:
			h.ping()
		}
	}
	h.close()
	return h.err
}

// collect returns the memory of very large dropped values to the system before new ones are allocated.
// Otherwise the garbage collector would wait for as much garbage as there is memory in use, and larger values
// would not fit into the gaps.
func (h *host) collect() {
	if dropped := h.node.Dropped(); dropped > h.collected {
		h.collected = dropped
		debug.FreeOSMemory()
	}
}

// poll carries out the node's outputs. It reports whether the node yielded with more to do.
func (h *host) poll() (yielded bool) {
	for !h.done {
		o, ok := h.node.Poll(h.Now())
		if !ok {
			if h.retryStalled() {
				continue
			}
			return false
		}
		if o.Kind == runtime.Yield {
			h.retryStalled()
			return true
		}
		h.do(o)
	}
	return false
}

func (h *host) do(o runtime.Output) {
	switch o.Kind {
	case runtime.Send:
		h.send(o.Peer, o.Envelope)
	case runtime.Dial:
		if l := h.linkTo(o.Peer); l != nil {
			h.dial(l)
		}
	case runtime.Hangup:
		if l := h.links[o.Peer]; l != nil && l.conn != nil {
			l.conn.Close()
		}
	case runtime.Fetch:
		h.fetch(o.Peer, o.Bulk)
	case runtime.Load:
		h.load(o.Peer, o.Value)
	case runtime.Run:
		h.command(o.Command, o.Task)
	case runtime.Checkpoint:
		h.checkpoint()
	case runtime.Tell:
		h.tell(*o.Event)
	}
}

// underWay is the limit of executions and unacknowledged envelopes of the peer up to which it begins another
// execution: enough to keep the later peers of a pipeline busy.
const underWay = 8

// feedMore begins the next execution that -in asks for, if there is room. Bootstraps that wait for files come
// first.
func (h *host) feedMore() (began bool) {
	if h.stopping {
		return false
	}
	began, err := h.feed.Boot(h.node, h.Now())
	if err == nil && !began && h.started {
		began, err = h.feed.Begin(h.node, h.Now(), underWay)
	}
	if err != nil {
		h.fail(err)
	}
	return began
}

// close ends all streams when queued data are written.
func (h *host) close() {
	var left sync.WaitGroup
	for _, l := range h.links {
		if c := l.conn; c != nil {
			left.Go(c.Drain)
		}
	}
	drained := make(chan struct{})
	go func() {
		left.Wait()
		close(drained)
	}()
	select {
	case <-drained:
	case <-time.After(h.Times.Drain):
	}
	if err := h.transport.Close(); err != nil {
		h.log.Warn("closing the transport", "err", err)
	}
	h.statusLine("status")
	if err := h.out.End(h.grace); err != nil && h.err == nil {
		h.err = err
	}
	h.endTraces(h.grace)
	h.lastLine()
	h.events.End(h.grace)
}

// command runs a task outside of the loop.
func (h *host) command(id runtime.CommandID, t runtime.Task) {
	go func() {
		err := protect(t)
		h.Post(func() {
			if err := h.node.Complete(h.Now(), id, err); err != nil {
				h.fail(err)
			}
		})
	}()
}

// protect runs a task. A panic of a kernel, because data do not fit, fails only the task.
func protect(t runtime.Task) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.Recovered("command", r)
		}
	}()
	return t.Do()
}
