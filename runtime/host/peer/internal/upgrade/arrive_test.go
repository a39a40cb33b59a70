package upgrade

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
)

// TestArrive: a process that starts with an order of an upgrade completes it if it is its result, or says that it has failed.
func TestArrive(t *testing.T) {
	for name, c := range map[string]struct {
		stage   state.Stage
		to      string      // the fingerprint that the order leads to
		want    state.Stage // the stage after that
		refused string
	}{
		"it is the result":                      {state.Taken, oldPrint, state.Upgraded, ""},
		"it was executed":                       {state.Accepted, oldPrint, state.Upgraded, ""},
		"killed before the binary was replaced": {state.Taken, newPrint, state.Refused, errKilled.Error()},
		"an order that nobody has looked at":    {state.Ordered, newPrint, state.Ordered, ""},
		"one that was refused":                  {state.Refused, newPrint, state.Refused, "before"},
	} {
		d := disktest.New()
		u, _ := newUpgrader(t, d)
		o := state.Order{ID: "mine", Stage: c.stage, Until: time.Now().Add(time.Hour), Now: u.Own}
		o.Now.Fingerprint = c.to
		if c.stage == state.Refused {
			o.Refused = "before"
		}
		if err := state.WriteOrder(d, u.Dir, &o); err != nil {
			t.Fatal(err)
		}
		u.Arrive()
		got, err := state.ReadOrder(d, u.Dir)
		if err != nil || got.Stage != c.want || got.Refused != c.refused || c.want == state.Upgraded && got.Now != u.Own {
			t.Errorf("%s: the order is %+v, %v, want %s, %q", name, got, err, c.want, c.refused)
		}
	}
}

// TestWithoutState: a peer that keeps no state is not upgraded.
func TestWithoutState(t *testing.T) {
	u, _ := newUpgrader(t, disktest.New())
	u.Dir = ""
	u.Arrive()
	u.Look()
	if got := u.Inherit([]byte{7}); hex.EncodeToString(got) != "07" || u.asked {
		t.Errorf("it accepts %x, and looks for an order: %v", got, u.asked)
	}
	if err := u.able(); err == nil || !strings.Contains(err.Error(), "runs inside another program") {
		t.Errorf("a peer inside another program: %v", err)
	}
}

// TestInherit: a process accepts what its predecessor was, unless it is told otherwise, or is not the successor.
func TestInherit(t *testing.T) {
	for name, c := range map[string]struct {
		record *state.Predecessor
		accept string
		want   string
		left   int // snapshots until the record is superfluous
	}{
		"no record":              {nil, newPrint, newPrint, 0},
		"its predecessor":        {&state.Predecessor{Fingerprint: oldPrint, Accept: "0a"}, "", "0a", ownSnapshots},
		"told the same program":  {&state.Predecessor{Fingerprint: oldPrint, Accept: "0a"}, oldPrint, "0a", ownSnapshots},
		"told another one":       {&state.Predecessor{Fingerprint: oldPrint, Accept: "0a"}, newPrint, newPrint, ownSnapshots},
		"a record of another":    {&state.Predecessor{Fingerprint: newPrint, Accept: "0a"}, "", "", 0},
		"no fingerprint in that": {&state.Predecessor{Fingerprint: oldPrint, Accept: "zz"}, newPrint, newPrint, ownSnapshots},
	} {
		d := disktest.New()
		u, _ := newUpgrader(t, d)
		if c.record != nil {
			if err := state.WritePredecessor(d, u.Dir, c.record); err != nil {
				t.Fatal(err)
			}
		}
		accept, err := hex.DecodeString(c.accept)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(u.Inherit(accept)); got != c.want || u.inherits != c.left {
			t.Errorf("%s: it accepts %q, and %d snapshots are left, want %q and %d", name, got, u.inherits, c.want, c.left)
		}
		if p, err := state.ReadPredecessor(d, u.Dir); err != nil || (p != nil) != (c.left > 0) {
			t.Errorf("%s: the record is %+v, %v", name, p, err)
		}
	}
}

// TestSavedTells: an upgrade that waits for snapshots learns of each.
func TestSavedTells(t *testing.T) {
	u, h := newUpgrader(t, disktest.New())
	u.inherits = ownSnapshots
	done := make(chan error, 1)
	go func() { done <- u.settle(t.Context(), state.Version{Fingerprint: newPrint}) }()
	for range ownSnapshots {
		h.next() // it asks for a snapshot
		u.Saved()
	}
	if err := <-done; err != nil || u.inherits != 0 {
		t.Errorf("got %v, and %d snapshots are left", err, u.inherits)
	}
}
