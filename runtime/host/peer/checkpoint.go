package peer

import (
	"errors"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
)

// The delays before a host tries again to write a snapshot for which there was no room.
const (
	firstRetry = 100 * time.Millisecond
	maxRetry   = 5 * time.Second
)

// checkpoint stores a snapshot. The node continues meanwhile.
func (h *host) checkpoint() {
	h.spool.Next()
	b, err := h.node.Snapshot(nil)
	switch {
	case err != nil && (mayPass(err) || h.unsaved != "" && errors.Is(err, runtime.ErrBusy)) && !h.leaving:
		h.notSaved(err)
		time.AfterFunc(h.retryIn(), func() { h.Post(h.checkpoint) })
		return
	case err != nil:
		h.fail(err)
		return
	case h.state == nil: // snapshots are not durable
		h.node.Persisted(h.Now())
		h.done = h.leaving
		return
	}
	h.save(&state.Snapshot{Bytes: b, Begun: h.started, Values: h.spool.Names()}, h.leaving)
}

// save writes a snapshot outside of the loop. The previous one is kept until the new one is complete. As long
// as there is no room for it, everything that waits for it keeps waiting: no message is acknowledged or sent
// that a restart would lose.
func (h *host) save(x *state.Snapshot, last bool) {
	go func() {
		err := h.spool.Sync()
		if errors.Is(err, spool.ErrUnsure) {
			h.Post(func() { h.fail(err) })
			return
		}
		h.out.Settle(h.grace) // the snapshot does not hold events that were told before it
		h.events.Settle()
		if err == nil {
			err = h.state.Save(x)
		}
		switch {
		case err == nil:
			h.spool.Sweep()
			h.upgrader.Saved()
		case disk.IsFull(err): // the second copy can wait until there is room
			h.state.DropPrevious()
			h.spool.SweepPrevious()
		}
		h.Post(func() { h.saved(x, last, err) })
	}()
}

// saved reports a durable snapshot to the node, or tries again later. A host that is about to end does not try
// again: the next start continues from the last durable snapshot.
func (h *host) saved(x *state.Snapshot, last bool, err error) {
	switch {
	case h.done:
	case err != nil && h.stopping:
		h.fail(err)
	case err != nil:
		h.notSaved(err)
		time.AfterFunc(h.retryIn(), func() { h.Post(func() { h.save(x, last) }) })
	default:
		if h.unsaved != "" {
			h.log.Info("snapshots are written again")
		}
		h.unsaved, h.retries = "", 0
		h.node.Persisted(h.Now())
		if last { // after the messages that may be sent now
			h.Post(func() { h.done = true })
		}
	}
}

// mayPass reports whether a failed write may succeed later.
func mayPass(err error) bool {
	return disk.IsFull(err) || disk.IsReadOnly(err) || disk.NoDescriptors(err)
}

// notSaved records why there is no new snapshot, and reports that once.
func (h *host) notSaved(err error) {
	if h.unsaved == "" {
		h.log.Error("no snapshot can be written: what waits for it is held back, and it is tried again", "err", err)
	}
	if !errors.Is(err, runtime.ErrBusy) {
		h.unsaved = err.Error()
	}
}

func (h *host) retryIn() time.Duration {
	h.retries++
	return retryIn(h.retries - 1)
}

// retryIn returns the delay before the next attempt.
func retryIn(retries int) time.Duration { return min(firstRetry<<min(retries, 16), maxRetry) }
