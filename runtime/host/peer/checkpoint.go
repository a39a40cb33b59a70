package peer

import (
	"errors"
	"time"

	"github.com/bbgen/bbgen/runtime"
)

// How long a host waits before it tries again to write a snapshot for which there was
// no room.
const (
	firstRetry = 100 * time.Millisecond
	maxRetry   = 5 * time.Second
)

// checkpoint keeps a snapshot. The node goes on meanwhile.
func (h *host) checkpoint() {
	h.spool.begin()
	b, err := h.node.Snapshot(nil)
	switch {
	case err != nil && (noRoom(err) || h.unsaved != "" && errors.Is(err, runtime.ErrBusy)) && !h.leaving:
		h.notSaved(err)
		time.AfterFunc(h.retryIn(), func() { h.post(h.checkpoint) })
		return
	case err != nil:
		h.fail(err)
		return
	case h.state == nil: // nobody asked for it to be durable
		h.node.Persisted(h.now())
		h.done = h.leaving
		return
	}
	h.save(b, h.started, h.leaving)
}

// save writes a snapshot beside the loop. The one before stays until it is whole, and
// as long as there is no room for it, what waits for it to be safe waits on: nothing is
// acknowledged or sent that a restart would forget.
func (h *host) save(b []byte, started, last bool) {
	go func() {
		err := h.spool.sync()
		if err != nil {
			h.post(func() { h.fail(err) }) // what a file holds that has failed to sync nobody knows
			return
		}
		if err = h.state.save(b, started); err == nil {
			h.spool.sweep()
		}
		h.post(func() { h.saved(b, started, last, err) })
	}()
}

// saved says that a snapshot is safe, or tries again later. A host that is to end has no
// later: the next start goes on from the last snapshot that was safe.
func (h *host) saved(b []byte, started, last bool, err error) {
	switch {
	case h.done:
	case err != nil && h.stopping:
		h.fail(err)
	case err != nil:
		h.notSaved(err)
		time.AfterFunc(h.retryIn(), func() { h.post(func() { h.save(b, started, last) }) })
	default:
		if h.unsaved != "" {
			h.log.Info("snapshots are written again")
		}
		h.unsaved, h.retries = "", 0
		h.node.Persisted(h.now())
		if last { // after what may be sent now
			h.post(func() { h.done = true })
		}
	}
}

// notSaved notes why there is no new snapshot, and says so once.
func (h *host) notSaved(err error) {
	if h.unsaved == "" {
		h.log.Error("no snapshot can be written: what waits for it is held back, and it is tried again", "err", err)
	}
	if !errors.Is(err, runtime.ErrBusy) {
		h.unsaved = err.Error()
	}
}

func (h *host) retryIn() time.Duration {
	d := min(firstRetry<<min(h.retries, 16), maxRetry)
	h.retries++
	return d
}
