package peer

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/follow"
)

// phase handles a change of the node's phase.
func (h *host) phase(name string) {
	switch name {
	case "running", "restored":
		h.running = true
		h.start()
	case "stopped":
		switch {
		case h.state == nil:
			h.done = true
		case !h.leaving:
			h.leave()
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
	h.node.Launch(h.Now())
	if h.program.Start == nil {
		return
	}
	if err := h.program.Start(h.node); err != nil {
		h.fail(err)
	}
}

var errGrace = errors.New("executions did not end in time; they are given up")

// Stop ends the host in an orderly way. With a state directory a snapshot is taken, and the next start
// continues from it; without one, executions may end first. A second call ends the host at once.
func (h *host) Stop() {
	if h.stopping {
		h.outOfTime()
		return
	}
	h.stopping = true
	h.log.Info("stopping")
	if h.state != nil {
		h.leave()
	} else {
		h.node.Stop(h.Now())
	}
	time.AfterFunc(h.grace, func() { h.Post(h.outOfTime) })
}

// outOfTime ends the host although executions have not ended, and reports what they wait for.
func (h *host) outOfTime() {
	err := errGrace
	if list := h.waits(0); len(list) > 0 {
		err = fmt.Errorf("%w; they wait for %s", errGrace, strings.Join(list, "; "))
	}
	h.fail(err)
}

// Stopping reports whether the host was told to stop.
func (h *host) Stopping() bool { return h.stopping }

// RequestCheckpoint asks for a snapshot.
func (h *host) RequestCheckpoint() { h.node.RequestCheckpoint() }

// leave asks for the last snapshot.
func (h *host) leave() {
	h.leaving = true
	h.RequestCheckpoint()
}

// finish reports whether the host has no more work.
func (h *host) finish() bool {
	if h.options.Once && h.started && h.feed.Over() && !h.stopping && !h.done {
		if s := h.node.Stats(); s.Live == 0 && s.Outbound == 0 && h.feed.Open() == 0 {
			h.stopping, h.err = true, h.task.end()
			h.node.Stop(h.Now())
		}
	}
	return h.done
}

// letIn wakes the callers that wait until the program runs.
func (h *host) letIn() {
	if h.ready != nil {
		close(h.ready)
		h.ready = nil
	}
}

// task is the work that was begun at the start, for whose end -once waits.
type task struct {
	loops follow.Loops
	err   error // of the first execution that failed
}

var errLoops = errors.New("-once: rounds have not come to their end")

// follow handles an event of the peer's own modules.
func (t *task) follow(h *host, e runtime.Event) {
	switch {
	case e.Kind == runtime.Published:
		t.loops.Published(0, e.Module, e.Name)
	case e.Kind == runtime.Finished && e.Err != nil && e.Exec.Origin == h.config.Self && t.err == nil:
		t.err = fmt.Errorf("-once: execution %d of %s: %w", e.Exec.Number, e.Module, e.Err)
	}
}

// end returns the result: single rounds may fail, if all rounds are run; an execution that begins only once may
// not fail.
func (t *task) end() error {
	switch {
	case t.loops.Done():
		return nil
	case t.loops.Begun() && t.err == nil:
		return errLoops
	}
	return t.err
}
