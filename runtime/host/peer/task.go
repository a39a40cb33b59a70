package peer

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/follow"
)

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
