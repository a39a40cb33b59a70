package explore

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// question is a question to a worker in one round of a lane. A repeated round asks it again, in another execution.
type question struct {
	worker      int
	name        string
	lane, round int
}

// fails reports whether a block of a worker fails. One block does, or none, the first time that a worker gets a question: so
// a repeated round gets further. The answer is the same when the block runs again after a crash.
func (w *world) fails(i int, q question, x wire.ExecID, block, last int) bool {
	first, ok := w.failed[q]
	if !ok {
		first, w.failed[q] = x, x
	}
	h := fnv.New64a()
	fmt.Fprint(h, w.c.Seed, q)
	drawn := h.Sum64()
	if x != first || int(drawn%100) >= w.c.Failing || int(drawn/100%uint64(last+1)) != block {
		return false
	}
	w.seen.saw(blockFailed)
	return true
}

// errPlanned is the error of a block that fails because the case says so.
var errPlanned = errors.New("it fails as planned")

// isPlanned reports whether an event of failure follows from a block that fails as planned, here or on another peer.
func (w *world) isPlanned(e runtime.Event) bool {
	return e.Kind == runtime.Failed && w.c.Failing > 0 && strings.Contains(e.Err.Error(), errPlanned.Error())
}

// loses checks an outgoing loss: a block has failed in the execution, which is durable.
func (w *world) loses(from, to int, x wire.ExecID) {
	done, durable := w.part[from].deeds.has(deed{what: failed, exec: x})
	switch {
	case !done:
		w.wrong(from, fmt.Errorf("a loss of %v goes to node %d, and no block has failed", x, to))
	case !durable && !w.c.isForgetful(from):
		w.wrong(from, fmt.Errorf("a loss of %v goes to node %d before it is durable", x, to))
	}
}
