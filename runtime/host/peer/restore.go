package peer

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime"
)

// restore makes the node from the last snapshot, or if that is damaged from the one
// before. It reports whether there was one.
func (h *host) restore(env runtime.Env) (bool, error) {
	last, err := h.state.read(snapshotFile)
	if err == nil && last == nil {
		h.state.dropPrevious() // somebody has moved the last one away, to begin anew
		return false, nil
	}
	if err == nil {
		err = h.restoreFrom(snapshotFile, last, env)
	}
	if !isDamaged(err) {
		return err == nil, err
	}
	previous, worse := h.state.read(previousFile)
	if worse != nil || previous == nil {
		return false, err
	}
	if h.spool, worse = h.newSpool(); worse != nil { // without what was opened in vain
		return false, worse
	}
	if worse = h.restoreFrom(previousFile, previous, env); worse != nil {
		return false, err
	}
	h.log.Error("the last snapshot is damaged: the peer goes back to the one before, and forgets what came after that", "err", err, "kept as", damagedFile)
	return true, h.state.fallBack()
}

// isDamaged reports whether a snapshot cannot be used as its bytes, or those of a value
// that it names, are not what was written.
func isDamaged(err error) bool {
	return errors.Is(err, errDamaged) || errors.Is(err, errValue) || errors.Is(err, fs.ErrNotExist)
}

func (h *host) restoreFrom(name string, x *saved, env runtime.Env) error {
	part, err := h.partition(env)
	if err != nil {
		return err
	}
	n, err := runtime.Restore(h.config, part, x.snapshot)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(h.state.dir, name), err)
	}
	h.node, h.started = n, x.begun
	return nil
}

// keptBefore are the values that the snapshot before the last names.
func (s *stateDir) keptBefore() []uint64 {
	x, err := s.read(previousFile)
	if err != nil || x == nil {
		return nil
	}
	return x.values
}
