package peer

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
)

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
		return false, err
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

// otherClass says that the state directory is that of a peer of another class, if it is.
func (h *host) otherClass() string {
	before, err := trust.ReadSelf(h.disk, h.options.State)
	if err != nil || before.Class == h.program.Class {
		return ""
	}
	return fmt.Sprintf(": %s holds the state of class %s, and this peer is of class %s", h.options.State, before.Class, h.program.Class)
}
