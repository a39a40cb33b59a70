package peer

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/feed"
)

var errGrace = errors.New("executions did not end in time; they are given up")

// stop ends the host in an orderly way. With a state directory a snapshot is taken, and the next start
// continues from it; without one, executions may end first. A second call ends the host at once.
func (h *host) stop() {
	if h.stopping {
		h.outOfTime()
		return
	}
	h.stopping = true
	h.log.Info("stopping")
	if h.state != nil {
		h.leave()
	} else {
		h.node.Stop(h.now())
	}
	time.AfterFunc(h.times.grace, func() { h.post(h.outOfTime) })
}

// outOfTime ends the host although executions have not ended, and reports what they wait for.
func (h *host) outOfTime() {
	err := errGrace
	if list := h.waits(0); len(list) > 0 {
		err = fmt.Errorf("%w; they wait for %s", errGrace, strings.Join(list, "; "))
	}
	h.fail(err)
}

// leave asks for the last snapshot.
func (h *host) leave() {
	h.leaving = true
	h.node.RequestCheckpoint()
}

// finish reports whether the host has no more work.
func (h *host) finish() bool {
	if h.options.Once && h.started && h.feed.Over() && !h.stopping && !h.done {
		if s := h.node.Stats(); s.Live == 0 && s.Outbound == 0 && h.feed.Open() == 0 {
			h.stopping, h.err = true, h.task.end()
			h.node.Stop(h.now())
		}
	}
	return h.done
}

// phase handles a change of the node's phase.
func (h *host) phase(name string) {
	switch name {
	case "running":
		h.running = true
		h.start()
	case "restored":
		h.running = true
		h.start()
	case "stopped":
		if h.state != nil && !h.leaving {
			h.leave()
		} else {
			h.done = h.done || h.state == nil
		}
	}
}

// start begins the program when the awaited peers are connected.
func (h *host) start() {
	if !h.running {
		return
	}
	if h.started {
		h.letIn()
		return
	}
	for class, n := range h.options.Await {
		if h.node.CountConnected(class) < n {
			h.progress.tellAwaited(h)
			return
		}
	}
	h.started = true
	if h.ungiven != nil {
		h.log.Info("waits for " + feed.Ask(h.ungiven, "-in", ""))
	}
	h.letIn()
	h.node.Launch(h.now())
	if h.program.Start == nil {
		return
	}
	if err := h.program.Start(h.node); err != nil {
		h.fail(err)
	}
}

// tell passes an event of the node to all receivers.
func (h *host) tell(e runtime.Event) {
	h.task.follow(h, e)
	h.feed.Follow(e)
	h.calls.Follow(e)
	h.wasted(&e)
	switch e.Kind {
	case runtime.Phase:
		h.phase(e.Name)
	case runtime.PeerUp:
		h.start()
	case runtime.Emitted:
		h.emitted(e)
		of := ""
		if e.Exec.Origin != h.config.Self {
			of = h.nameOf(e.Exec.Origin)
		}
		h.out.Value(e, of)
	case runtime.Finished:
		h.latest = max(h.latest, e.Exec.Number)
		if e.Exec.Origin == h.config.Self {
			h.round = e.Exec.Number
		}
	}
	h.write(e)
	h.progress.follow(h, e)
	if h.program.Tell != nil {
		h.program.Tell(e)
	}
}

// write writes an event, unless its rate limit is exceeded.
func (h *host) write(e runtime.Event) {
	var dropped uint64
	if brought(e.Kind) {
		var ok bool
		if dropped, ok = h.logLimits.pass(complaint{e.Kind.String() + e.Name, e.Peer}, time.Now()); !ok {
			return
		}
	}
	h.logEvent(e, dropped)
	h.eventLine(e, dropped)
	h.past(e, dropped)
}

// wasted counts an event that reports a useless message of a peer.
func (h *host) wasted(e *runtime.Event) {
	if l := h.links[e.Peer]; l != nil && (e.Kind == runtime.Late || e.Kind == runtime.Refused) {
		l.waste.Note()
	}
}
