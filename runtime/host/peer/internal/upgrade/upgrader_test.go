package upgrade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
)

// The fingerprints of two programs whose snapshots have the same layout.
const oldPrint, newPrint = "01", "02"

// errGrace is the end of a host that has given up executions.
var errGrace = errors.New("executions are given up")

// loop is a host whose loop is the test.
type loop struct {
	posted   chan func()
	stopping bool
}

func (h *loop) Post(do func())     { h.posted <- do }
func (h *loop) Stopping() bool     { return h.stopping }
func (h *loop) Stop()              { h.stopping = true }
func (h *loop) RequestCheckpoint() {}

// next runs the next function that is posted.
func (h *loop) next() { (<-h.posted)() }

// newUpgrader returns the upgrader of a peer of the old program, with a state directory.
func newUpgrader(t *testing.T, d disk.FS) (*Upgrader, *loop) {
	t.Helper()
	h := &loop{posted: make(chan func(), 8)}
	own := state.Version{Program: "p", Class: "c", Fingerprint: oldPrint, Layout: "7", Build: "1"}
	return &Upgrader{Host: h, Ctx: t.Context(), Log: slog.New(slog.DiscardHandler), Disk: d, Dir: t.TempDir(), Own: own, Accept: newPrint}, h
}

// newUpgradable returns the upgrader of a peer whose binary is a script that says its version, and another script, which says that
// it is build 2, of the new program.
func newUpgradable(t *testing.T, d disk.FS) (u *Upgrader, next string) {
	t.Helper()
	u, _ = newUpgrader(t, d)
	dir := t.TempDir()
	u.Binary = script(t, filepath.Join(dir, "peer"), says(t, u.Own))
	v := u.Own
	v.Fingerprint, v.Build = newPrint, "2"
	return u, script(t, filepath.Join(dir, "next"), says(t, v))
}

// buildOf returns the build of the script that is the binary of a peer.
func buildOf(t *testing.T, u *Upgrader) string {
	t.Helper()
	v, err := ask(t.Context(), u.Binary, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.Build
}

// script writes an executable that prints what a binary says of itself, or fails.
func script(t *testing.T, file, text string) string {
	t.Helper()
	if !CanExec {
		t.Skip("no scripts here")
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// says returns a script that prints a version.
func says(t *testing.T, v state.Version) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return "echo '" + string(b) + "'"
}

// TestLate: an order whose time is over is left alone.
func TestLate(t *testing.T) {
	u, h := newUpgrader(t, disk.OS)
	if err := state.WriteOrder(disk.OS, u.Dir, &state.Order{ID: "mine", Stage: state.Ordered, Until: time.Now().Add(-time.Hour)}); err != nil {
		t.Fatal(err)
	}
	u.Look()
	if h.next(); u.asked {
		t.Error("it is taken")
	}
	if o, err := state.ReadOrder(disk.OS, u.Dir); err != nil || o.Stage != state.Ordered {
		t.Errorf("it becomes %+v, %v", o, err)
	}
}

// TestDecideLate: an order that is ready when the peer stops already is refused, and the old binary is back.
func TestDecideLate(t *testing.T) {
	u, h := newUpgrader(t, disk.OS)
	h.stopping = true
	file := filepath.Join(u.Dir, "peer")
	for name, text := range map[string]string{file: "new", file + ".previous": "old"} {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	o := &state.Order{ID: "mine", Stage: state.Ordered}
	u.asked = true
	u.decide(o, &Successor{Binary: file, Previous: file + ".previous"}, nil)
	<-u.worked
	h.next()
	if o, err := state.ReadOrder(u.Disk, u.Dir); err != nil || o.Stage != state.Refused || o.Refused != errToldToStop.Error() {
		t.Errorf("the order is %+v, %v", o, err)
	}
	if b, _ := os.ReadFile(file); string(b) != "old" || u.next != nil || u.asked {
		t.Errorf("the binary is %s, and the successor %v", b, u.next)
	}
}

// TestUpgradeHungDisk: a disk that hangs does not hold up the loop, which looks for orders with each ping.
func TestUpgradeHungDisk(t *testing.T) {
	d, hangs := disktest.New(), make(chan bool)
	d.Fault(func(op disktest.Op, name string) error {
		<-hangs
		return nil
	})
	u, h := newUpgrader(t, d)
	u.Look()
	u.Look() // only one look at a time
	if !u.asked {
		t.Error("it does not look")
	}
	close(hangs)
	if h.next(); u.asked {
		t.Error("it looks for ever")
	}
}

// TestDecideHungDisk: nor does it when the peer accepts or refuses an order. It stops for its successor when the order says so.
func TestDecideHungDisk(t *testing.T) {
	for want, err := range map[state.Stage]error{state.Accepted: nil, state.Refused: errors.New("another program")} {
		d, hangs := disktest.New(), make(chan bool)
		d.Fault(func(op disktest.Op, name string) error {
			<-hangs
			return nil
		})
		u, h := newUpgrader(t, d)
		u.asked = true
		u.decide(&state.Order{ID: "mine", Stage: state.Ordered}, &Successor{}, err)
		if h.stopping || !u.asked {
			t.Errorf("%s: before that is on the disk it stops: %v, and looks for another one: %v", want, h.stopping, !u.asked)
		}
		close(hangs)
		<-u.worked
		h.next()
		if o, err := state.ReadOrder(d, u.Dir); err != nil || o == nil || o.Stage != want {
			t.Errorf("the order is %+v, %v, want %s", o, err, want)
		}
		if h.stopping != (err == nil) || u.asked != (err == nil) {
			t.Errorf("%s: then it stops: %v, and looks for another one: %v", want, h.stopping, !u.asked)
		}
	}
}

// TestBeginWhileStopping: an order that is found when the peer stops already is refused without a look at its binary.
func TestBeginWhileStopping(t *testing.T) {
	u, h := newUpgrader(t, disk.OS)
	h.stopping, u.asked = true, true
	u.begin(&state.Order{ID: "mine", Binary: "nowhere", Stage: state.Ordered})
	<-u.worked
	if o, err := state.ReadOrder(disk.OS, u.Dir); err != nil || o.Stage != state.Refused || o.Refused != errToldToStop.Error() {
		t.Errorf("the order is %+v, %v", o, err)
	}
}

// TestEndsDuringPrepare: a peer that is told to stop, or fails, while a new binary is checked or was just put in its place, waits for
// that, puts the old one back, and says so. Nobody is told that nothing has changed, or that the peer runs.
func TestEndsDuringPrepare(t *testing.T) {
	bad := errors.New("the disk is gone")
	for name, c := range map[string]struct {
		told     bool
		err      error
		want     string
		hangs    bool // the new binary does not answer
		replaced bool // the binary is replaced when the host ends
	}{
		"told to stop, replaced":  {true, nil, errToldToStop.Error(), false, true},
		"failed, replaced":        {false, bad, bad.Error(), false, true},
		"ended, replaced":         {false, nil, errHostEnded.Error(), false, true},
		"told to stop, checking":  {true, nil, errToldToStop.Error(), true, false},
		"failed, checking":        {false, bad, bad.Error(), true, false},
		"late, checking":          {false, fmt.Errorf("%w; they wait", errGrace), errHostEnded.Error(), true, false},
		"told to stop late":       {true, fmt.Errorf("%w; they wait", errGrace), errToldToStop.Error(), false, true},
		"ended by itself, asking": {false, nil, errHostEnded.Error(), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			u, next := newUpgradable(t, disk.OS)
			u.GivenUp = errGrace
			asked := next + ".asked"
			if c.hangs {
				script(t, next, "echo > "+asked+"; exec sleep 600")
			}
			o := &state.Order{ID: "mine", Binary: next, Stage: state.Ordered, Until: time.Now().Add(time.Hour)}
			if err := state.WriteOrder(disk.OS, u.Dir, o); err != nil {
				t.Fatal(err)
			}
			var endHost context.CancelFunc
			u.Ctx, endHost = context.WithCancel(t.Context())
			u.begin(o) // the loop ends before it can decide: what is posted to it is never run
			if c.hangs {
				for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
					if _, err := os.Stat(asked); err == nil {
						break
					}
					if time.Now().After(deadline) {
						t.Fatal("the new binary is not asked")
					}
				}
			} else {
				<-u.worked
				if buildOf(t, u) != "2" {
					t.Fatal("the binary is not replaced")
				}
			}
			endHost() // as a host does when it ends
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.told {
				cancel()
			}
			if err := u.End(ctx, c.err); !errors.Is(err, c.err) {
				t.Errorf("it ends with %v, want %v", err, c.err)
			}
			after, err := state.ReadOrder(disk.OS, u.Dir)
			if err != nil || after.Stage != state.Refused || after.Refused != c.want {
				t.Errorf("the order is %+v, %v; want refused: %s", after, err, c.want)
			}
			if buildOf(t, u) != "1" {
				t.Error("the old binary is not back")
			}
			if p, err := state.ReadPredecessor(disk.OS, u.Dir); p != nil || err != nil {
				t.Error("the directory says that another program continues")
			}
		})
	}
}

// A peer goes on as a binary of its own program and class whose snapshots it can read. With another fingerprint, that
// is accepted only if the operator has said so.
func TestContinues(t *testing.T) {
	own := state.Version{Program: "p", Class: "c", Fingerprint: "01", Layout: "7"}
	u := &Upgrader{Own: own, Accept: "03"}
	for _, c := range []struct {
		change func(*state.Version)
		want   string
	}{
		{func(*state.Version) {}, ""},
		{func(v *state.Version) { v.Build = "later" }, ""},
		{func(v *state.Version) { v.Fingerprint = "03" }, "-accept 01"},
		{func(v *state.Version) { v.Fingerprint = "02" }, "its program has fingerprint 02, this one 01"},
		{func(v *state.Version) { v.Class = "d" }, "it is a d of program p, this is a c of p"},
		{func(v *state.Version) { v.Layout = "8" }, "its snapshots have another layout, 8, and those of this one 7"},
	} {
		v := own
		c.change(&v)
		accept, err := u.continues(v)
		got := strings.Join(accept, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", &v, got, c.want)
		}
	}
}

// TestPrepareOnFullDisk: if the decision cannot be stored, the binary is not replaced, whichever write fails.
func TestPrepareOnFullDisk(t *testing.T) {
	for n := range 3 {
		d := disktest.New()
		u, next := newUpgradable(t, d)
		writes, broken := 0, errors.New("no room")
		d.Fault(func(op disktest.Op, name string) error {
			isRecord := strings.Contains(filepath.Base(name), "upgrade")
			if op != disktest.Sync && op != disktest.Rename && op != disktest.Write || !isRecord {
				return nil
			}
			writes++
			if writes > 3*n { // of the order, of the decision, and then of the answer
				return broken
			}
			return nil
		})
		o := &state.Order{ID: "mine", Binary: next, Stage: state.Ordered, Until: time.Now().Add(time.Hour)}
		s, err := u.prepare(o)
		if stored := n == 2; (err == nil) != stored || !stored && (!errors.Is(err, broken) || s != nil) {
			t.Errorf("with room for %d records: %v, %v", n, s, err)
		}
		want := "1"
		if n == 2 {
			want = "2"
		}
		if build := buildOf(t, u); build != want {
			t.Errorf("with room for %d records build %s is in place", n, build)
		}
	}
}
