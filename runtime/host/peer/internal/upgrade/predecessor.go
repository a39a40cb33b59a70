package upgrade

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
)

// ownSnapshots is how many snapshots a program has to write until none of its predecessor is left: the last one and the one
// before are kept.
const ownSnapshots = 2

// settle has the peer write snapshots until none of its predecessor is left, if the next program is another one. There is one
// decision at a time: the next program does not learn of the predecessor, and this one needs the decision if it starts again.
func (u *Upgrader) settle(ctx context.Context, to state.Version) error {
	for to.Fingerprint != u.Own.Fingerprint {
		u.mu.Lock()
		left, saves := u.inherits, make(chan struct{})
		u.saves = saves
		u.mu.Unlock()
		if left == 0 {
			return nil
		}
		u.Host.Post(func() { u.Host.RequestCheckpoint() })
		select {
		case <-saves:
		case <-ctx.Done():
			return fmt.Errorf("the peer was upgraded before, and has to write %d more snapshots of its own first: %w", left, context.Cause(ctx))
		}
	}
	return nil
}

// bequeath records that a program continues from the snapshots of this one.
func (u *Upgrader) bequeath(to state.Version) error {
	own := u.Own.Fingerprint
	if to.Fingerprint == own {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.inherits = 0
	return state.WritePredecessor(u.Disk, u.Dir, &state.Predecessor{Fingerprint: to.Fingerprint, Accept: own})
}

// Inherit returns the fingerprint that the peer accepts besides its own: that of -accept, or if there is none, or its own, which
// was right before the upgrade, that of the program whose snapshots it continues from.
func (u *Upgrader) Inherit(accept []byte) []byte {
	if u.Dir == "" {
		return accept
	}
	p, err := state.ReadPredecessor(u.Disk, u.Dir)
	if err != nil {
		u.Log.Warn("the record of an upgrade cannot be used", "err", err)
	}
	if p == nil {
		return accept
	}
	own := u.Own.Fingerprint
	if p.Fingerprint != own { // the upgrade has not come about
		state.RemovePredecessor(u.Disk, u.Dir)
		return accept
	}
	u.inherits = ownSnapshots
	before, err := hex.DecodeString(p.Accept)
	if err != nil || len(accept) > 0 && !strings.EqualFold(hex.EncodeToString(accept), own) {
		return accept
	}
	return before
}

// Saved records that a snapshot is durable. The decision is over when none of the predecessor is left.
func (u *Upgrader) Saved() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.inherits == 0 {
		return
	}
	if u.inherits--; u.inherits == 0 {
		state.RemovePredecessor(u.Disk, u.Dir)
	}
	if u.saves != nil {
		close(u.saves)
		u.saves = nil
	}
}

// disinherit withdraws the decision, unless it is that of the predecessor.
func (u *Upgrader) disinherit() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.inherits == 0 {
		state.RemovePredecessor(u.Disk, u.Dir)
	}
}
