package peer

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
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
		time.AfterFunc(h.retryIn(), func() { h.post(h.checkpoint) })
		return
	case err != nil:
		h.fail(err)
		return
	case h.state == nil: // snapshots are not durable
		h.node.Persisted(h.now())
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
			h.post(func() { h.fail(err) })
			return
		}
		h.out.Settle(h.times.grace) // the snapshot does not hold events that were told before it
		h.events.Settle()
		if err == nil {
			err = h.state.Save(x)
		}
		switch {
		case err == nil:
			h.spool.Sweep()
			h.upgrader.saved(h)
		case disk.IsFull(err): // the second copy can wait until there is room
			h.state.DropPrevious()
			h.spool.SweepPrevious()
		}
		h.post(func() { h.saved(x, last, err) })
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
		time.AfterFunc(h.retryIn(), func() { h.post(func() { h.save(x, last) }) })
	default:
		if h.unsaved != "" {
			h.log.Info("snapshots are written again")
		}
		h.unsaved, h.retries = "", 0
		h.node.Persisted(h.now())
		if last { // after the messages that may be sent now
			h.post(func() { h.done = true })
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

// restore makes the node from the last snapshot, or from the previous one if the last is damaged. It reports
// whether there was one.
func (h *host) restore(env runtime.Env) (bool, error) {
	last, err := h.state.Read(state.SnapshotFile)
	if err == nil && last == nil {
		h.state.DropPrevious() // the last one was moved away, to begin anew
		return false, nil
	}
	if err == nil {
		err = h.restoreFrom(state.SnapshotFile, last, env)
	}
	if !isDamaged(err) {
		return err == nil, err
	}
	previous, worse := h.state.Read(state.PreviousFile)
	if worse != nil || previous == nil {
		return false, fmt.Errorf("%w: put a backup in its place, or move it away to begin anew", err)
	}
	if h.spool, worse = h.newSpool(); worse != nil { // without the files that were opened in vain
		return false, worse
	}
	if worse = h.restoreFrom(state.PreviousFile, previous, env); worse != nil {
		return false, err
	}
	h.log.Error("the last snapshot is damaged: the peer goes back to the one before, and forgets what came after that", "err", err, "kept as", state.DamagedFile)
	return true, h.state.FallBack()
}

// isDamaged reports whether a snapshot is unusable because its bytes, or those of a value that it names, were
// changed.
func isDamaged(err error) bool {
	return errors.Is(err, state.ErrDamaged) || errors.Is(err, spool.ErrValue) || errors.Is(err, fs.ErrNotExist)
}

func (h *host) restoreFrom(name string, x *state.Snapshot, env runtime.Env) error {
	part, err := h.partition(env)
	if err != nil {
		return err
	}
	n, err := runtime.Restore(h.config, part, x.Bytes)
	if err != nil {
		return fmt.Errorf("%s: %w%s", h.state.Path(name), err, h.otherClass())
	}
	h.node, h.started = n, x.Begun
	return nil
}

// otherClass says that the state directory is that of another peer, or of one of another class, if it is.
func (h *host) otherClass() string {
	before, err := trust.ReadSelf(h.disk, h.options.State)
	switch {
	case err != nil:
		return ""
	case before.ID != h.config.Self:
		return fmt.Sprintf(": %s holds the state of a peer with another key: put that key back, or move the directory away to begin anew", h.options.State)
	case before.Class == h.program.Class:
		return ""
	}
	return fmt.Sprintf(": %s holds the state of class %s, and this peer is of class %s", h.options.State, before.Class, h.program.Class)
}
