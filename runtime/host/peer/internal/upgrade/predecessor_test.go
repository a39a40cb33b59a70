package upgrade

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
)

// TestSecondUpgradeWithoutSnapshots: if the snapshots that a second upgrade needs cannot be written, it is refused, and says why.
func TestSecondUpgradeWithoutSnapshots(t *testing.T) {
	u, _ := newUpgrader(t, disk.OS)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errToldToStop)
	u.inherits = ownSnapshots
	err := u.settle(ctx, state.Version{Fingerprint: "another"})
	if !errors.Is(err, errToldToStop) || !strings.Contains(err.Error(), "2 more snapshots of its own") {
		t.Errorf("got %v, want that it has to write 2 more snapshots", err)
	}
	if err := u.settle(ctx, state.Version{Fingerprint: u.Own.Fingerprint}); err != nil {
		t.Errorf("an upgrade to the same program needs no snapshots: %v", err)
	}
}

// TestDecisionOfPredecessor: an order that is refused leaves alone what the predecessor has decided, and the snapshots of this process
// do not withdraw what it has decided itself.
func TestDecisionOfPredecessor(t *testing.T) {
	d := disktest.New()
	before, _ := newUpgrader(t, d)
	if err := before.bequeath(state.Version{Fingerprint: newPrint}); err != nil {
		t.Fatal(err)
	}
	u, _ := newUpgrader(t, d)
	u.Dir, u.Own.Fingerprint = before.Dir, newPrint
	is := func(what string, want *state.Predecessor) {
		t.Helper()
		got, err := state.ReadPredecessor(d, u.Dir)
		if err != nil || (got == nil) != (want == nil) || want != nil && *got != *want {
			t.Errorf("%s: the decision is %+v, %v, want %+v", what, got, err, want)
		}
	}
	if got := u.Inherit(nil); hex.EncodeToString(got) != oldPrint {
		t.Errorf("it accepts %x", got)
	}
	u.refuse(&state.Order{ID: "mine"}, errors.New("no peer"))
	is("after a refused order", &state.Predecessor{Fingerprint: newPrint, Accept: oldPrint})
	u.Saved()
	if err := u.bequeath(state.Version{Fingerprint: "03"}); err != nil {
		t.Fatal(err)
	}
	for range ownSnapshots + 1 {
		u.Saved()
	}
	is("after more snapshots", &state.Predecessor{Fingerprint: "03", Accept: newPrint})
	u.refuse(&state.Order{ID: "mine"}, errors.New("told to stop"))
	is("after its own order is refused", nil)
	if err := u.bequeath(state.Version{Fingerprint: newPrint}); err != nil {
		t.Fatal(err)
	}
	is("for a binary of the same program", nil)
}
