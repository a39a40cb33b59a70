package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/upgrade"
)

// TestAwaitUpgrade shows what the command upgrade says for each thing that can happen to its order while it waits, and
// whether the order is removed.
func TestAwaitUpgrade(t *testing.T) {
	next := state.Version{Program: "p", Class: "c", Fingerprint: "01", Build: "7"}
	for name, c := range map[string]struct {
		answer func(o *state.Order) error // of the peer, after a second; nil: none
		file   func(file string) error
		want   string
		takes  time.Duration
		stays  bool
	}{
		"done":             {answer: func(o *state.Order) error { o.Stage, o.Now = state.Upgraded, next; return nil }, want: "c of program p, fingerprint 01, build 7", takes: time.Second},
		"refused":          {answer: func(o *state.Order) error { o.Stage, o.Refused = state.Refused, "another layout"; return nil }, want: "another layout", takes: time.Second},
		"nobody takes it":  {want: "the peer does not take it: nothing has changed", takes: time.Minute},
		"no successor":     {answer: func(o *state.Order) error { o.Stage = state.Accepted; return nil }, want: "the peer has taken it, and is not back yet: its log has the reason", takes: time.Minute, stays: true},
		"killed meanwhile": {answer: func(o *state.Order) error { o.Stage = state.Taken; return nil }, want: "the peer has taken it, and is not back yet: its log has the reason", takes: time.Minute, stays: true},
		"removed":          {file: os.Remove, want: "upgrade.json was removed", takes: time.Second},
		"replaced":         {answer: func(o *state.Order) error { o.ID = "another"; return nil }, want: "upgrade.json was removed", takes: time.Second, stays: true},
		"damaged":          {file: func(f string) error { return os.WriteFile(f, []byte("scribble"), 0o600) }, want: state.OrderFile, takes: time.Second, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				o := &state.Order{ID: "mine", Stage: state.Ordered, Until: time.Now().Add(time.Minute)}
				if err := state.WriteOrder(disk.OS, dir, o); err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(time.Second, func() {
					var err error
					if c.answer != nil {
						theirs := *o
						c.answer(&theirs)
						err = state.WriteOrder(disk.OS, dir, &theirs)
					}
					if c.file != nil {
						err = c.file(filepath.Join(dir, state.OrderFile))
					}
					if err != nil {
						t.Error(err)
					}
				})
				began := time.Now()
				v, err := await(t.Context(), dir, o)
				took := time.Since(began)
				got := fmt.Sprint(v)
				if err != nil {
					got = err.Error()
				}
				if !strings.Contains(got, c.want) || took < c.takes || took > c.takes+2*awaitStep {
					t.Errorf("after %v it says %s; want after %v %s", took, got, c.takes, c.want)
				}
				if _, err := os.Stat(filepath.Join(dir, state.OrderFile)); (err == nil) != c.stays {
					t.Errorf("the order is there: %v, want %v", err == nil, c.stays)
				}
			})
		})
	}
}

// TestAwaitInterrupted: an interrupted command takes its order back.
func TestAwaitInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		o := &state.Order{ID: "mine", Stage: state.Ordered, Until: time.Now().Add(time.Hour)}
		if err := state.WriteOrder(disk.OS, dir, o); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := await(ctx, dir, o); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if o, err := state.ReadOrder(disk.OS, dir); o != nil || err != nil {
			t.Errorf("the order stays: %v, %v", o, err)
		}
	})
}

// script writes an executable that prints what a binary says of itself, or fails.
func script(t *testing.T, file, text string) string {
	t.Helper()
	if goruntime.GOOS == "windows" || !upgrade.CanExec {
		t.Skip("no scripts here")
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// says returns a script that prints a version.
func says(t *testing.T, v state.Version) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return "echo '" + string(b) + "'"
}

// upgradable is a peer in this process as if it were its own binary, of which another one can take the place.
type upgradable struct {
	*station
	dir, binary string
	own         state.Version
}

func newUpgradable(t *testing.T) *upgradable {
	dir := t.TempDir()
	part := handmade.Ping(1)
	p := Program{Name: "test", Class: part.Class, Fingerprint: part.Fingerprint, BuildID: "1", Transport: newLAN().transport,
		Partition: func(runtime.Env) (*runtime.Partition, error) { return part, nil }}
	u := &upgradable{dir: filepath.Join(dir, "state"), binary: filepath.Join(dir, "peer"), own: p.version(part.Schema)}
	script(t, u.binary, says(t, u.own))
	x, err := newLAN().runProgram(t, p, nil, "-state", u.dir)
	if err != nil {
		t.Fatal(err)
	}
	u.station = x
	x.see(func(h *host) { h.upgrader.Binary, h.upgrader.Args = u.binary, []string{"-state", u.dir} })
	return u
}

// order gives an order to the peer, and returns what has become of it.
func (u *upgradable) order(t *testing.T, binary string) *state.Order {
	t.Helper()
	o := &state.Order{ID: "mine", Binary: binary, Stage: state.Ordered, Until: time.Now().Add(time.Minute)}
	if err := place(u.dir, o); err != nil {
		t.Fatal(err)
	}
	u.see(func(h *host) { h.upgrader.Look() }) // which it would do with its next pings
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		now, err := state.ReadOrder(disk.OS, u.dir)
		if err != nil {
			t.Fatal(err)
		}
		if now.Stage != state.Ordered && now.Stage != state.Taken {
			return now
		}
		if time.Now().After(deadline) {
			t.Fatal("the peer does not take it")
		}
	}
}

// TestUpgradeTaken: a peer that gets a binary of its own program puts it in the place of the running one, keeps that
// beside it, writes its last snapshot and ends for its successor, with the same arguments.
func TestUpgradeTaken(t *testing.T) {
	u := newUpgradable(t)
	later := u.own
	later.Build = "2"
	next := script(t, filepath.Join(t.TempDir(), "next"), says(t, later))
	o := u.order(t, next)
	if o.Stage != state.Accepted || o.Now != later {
		t.Fatalf("the order is %+v, want accepted, by build 2", o)
	}
	<-u.ended
	if u.err != nil {
		t.Fatal(u.err)
	}
	err := u.h.upgrader.End(t.Context(), u.err)
	s, ok := errors.AsType[*upgrade.Successor](err)
	if !ok || s.Binary != u.binary || s.Previous != u.binary+".previous" || strings.Join(s.Args, " ") != "-state "+u.dir {
		t.Fatalf("it ends for %+v, %v", s, err)
	}
	for file, want := range map[string]string{s.Binary: says(t, later), s.Previous: says(t, u.own)} {
		if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s holds %s, %v", file, b, err)
		}
	}
	// The successor says that it runs; an order that it did not take it leaves alone.
	u.h.upgrader.Arrive()
	if o, err = state.ReadOrder(disk.OS, u.dir); err != nil || o.Stage != state.Upgraded || o.Now != u.own {
		t.Errorf("when the successor has come the order is %+v, %v", o, err)
	}
	o.Stage = state.Refused
	if err := state.WriteOrder(disk.OS, u.dir, o); err != nil {
		t.Fatal(err)
	}
	u.h.upgrader.Arrive()
	if o, err = state.ReadOrder(disk.OS, u.dir); err != nil || o.Stage != state.Refused {
		t.Errorf("an order that was refused becomes %+v, %v", o, err)
	}
}

// TestUpgradeNotTaken: a binary that cannot go on from the peer's snapshot, or is none, is refused with the reason; the
// running one stays in its place, and the peer runs on.
func TestUpgradeNotTaken(t *testing.T) {
	u := newUpgradable(t)
	dir := t.TempDir()
	other := u.own
	other.Layout = "0"
	for name, c := range map[string]struct{ text, want string }{
		"layout": {says(t, other), "its snapshots have another layout"},
		"fails":  {"echo 'no such flag -statt' >&2; exit 2", "does not say which version it is: exit status 2: no such flag -statt"},
		"prose":  {"echo I am a peer", `is no peer that can be upgraded to: it says "I am a peer\n"`},
	} {
		o := u.order(t, script(t, filepath.Join(dir, name), c.text))
		if o.Stage != state.Refused || !strings.Contains(o.Refused, c.want) {
			t.Errorf("%s: the order is %s, %s; want refused: %s", name, o.Stage, o.Refused, c.want)
		}
		if b, _ := os.ReadFile(u.binary); !strings.Contains(string(b), says(t, u.own)) {
			t.Errorf("%s: the running binary is replaced by %s", name, b)
		}
	}
	running := false
	if u.see(func(h *host) { running = h.running && !h.stopping }); !running {
		t.Error("the peer does not run on")
	}
	if err := u.end(); err != nil {
		t.Error(err)
	}
}

// TestUpgradeStopped: a peer that was told to stop meanwhile, or that fails, does not go on as another binary: the old
// one is back, and the order is refused.
func TestUpgradeStopped(t *testing.T) {
	bad := errors.New("the disk is gone")
	for name, c := range map[string]struct {
		told bool  // to stop
		err  error // with which the host ends
		want string
	}{
		"told to stop": {true, nil, "the peer was told to stop"},
		"failed":       {false, bad, bad.Error()},
		"late":         {false, fmt.Errorf("%w; they wait", errGrace), ""}, // the successor repeats what has not ended
	} {
		u := newUpgradable(t)
		later := u.own
		later.Build = "2"
		if o := u.order(t, script(t, filepath.Join(t.TempDir(), "next"), says(t, later))); o.Stage != state.Accepted {
			t.Fatalf("%s: the order is %+v", name, o)
		}
		<-u.ended
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if c.told {
			cancel()
		}
		err := u.h.upgrader.End(ctx, c.err)
		o, readErr := state.ReadOrder(disk.OS, u.dir)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if c.want == "" {
			if _, ok := errors.AsType[*upgrade.Successor](err); !ok || o.Stage != state.Accepted {
				t.Errorf("%s: it ends with %v, and the order is %s", name, err, o.Stage)
			}
			continue
		}
		if !errors.Is(err, c.err) || o.Stage != state.Refused || o.Refused != c.want {
			t.Errorf("%s: it ends with %v, and the order is %s: %s", name, err, o.Stage, o.Refused)
		}
		if b, _ := os.ReadFile(u.binary); !strings.Contains(string(b), says(t, u.own)) {
			t.Errorf("%s: the old binary is not back: %s", name, b)
		}
	}
}

// TestUpgradeOrders: a second order waits for the first one, unless that is over.
func TestUpgradeOrders(t *testing.T) {
	u := newUpgradable(t)
	now := time.Now()
	for _, c := range []struct {
		before state.Order
		want   string
	}{
		{state.Order{ID: "a", Stage: state.Accepted, Until: now.Add(time.Hour)}, "another one is under way on " + u.dir},
		{state.Order{ID: "a", Stage: state.Accepted, Until: now.Add(-time.Hour)}, ""},
		{state.Order{ID: "a", Stage: state.Refused, Until: now.Add(time.Hour)}, ""},
		{state.Order{ID: "a", Stage: state.Upgraded, Until: now.Add(time.Hour)}, ""},
	} {
		if err := state.WriteOrder(disk.OS, u.dir, &c.before); err != nil {
			t.Fatal(err)
		}
		err := place(u.dir, &state.Order{ID: "b", Stage: state.Ordered}) // until long ago: the peer leaves it alone
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("after %s, until %v: got %v, want %q", c.before.Stage, c.before.Until, err, c.want)
		}
	}
}

// TestVersion: the command version prints as JSON what the command upgrade compares.
func TestVersion(t *testing.T) {
	p := Program{Name: "test", Class: "ping", Fingerprint: []byte{0xab, 1}, BuildID: "9", Partition: func(runtime.Env) (*runtime.Partition, error) { return handmade.Ping(1), nil }}
	var out strings.Builder
	if code := Do(t.Context(), p, []string{"version"}, &out, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	want := `{"program":"test","class":"ping","fingerprint":"ab01","layout":"0000000000000001","build":"9"}` + "\n"
	if out.String() != want {
		t.Errorf("got %swant %s", &out, want)
	}
	for args, want := range map[string]int{"version -h": 0, "version -rank one": 2, "version -key nowhere": 1} {
		out.Reset()
		if code := Do(t.Context(), p, strings.Fields(args), &out, io.Discard); code != want || want == 0 && !strings.Contains(out.String(), "usage: version") {
			t.Errorf("%s: exit code %d, want %d: %s", args, code, want, &out)
		}
	}
	p.Partition = func(runtime.Env) (*runtime.Partition, error) { return nil, errors.New("no data") }
	if code := Do(t.Context(), p, []string{"version"}, io.Discard, io.Discard); code != 1 {
		t.Errorf("without a partition the exit code is %d", code)
	}
}

// A peer inside another program cannot become another binary: it says so, and runs on.
func TestUpgradeRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if err := upgradeCommand(t.Context(), nil, nil, &strings.Builder{}, nil); err == nil || err.Error() != "upgrade: want -state DIR" {
		t.Error(err)
	}
	if err := upgradeCommand(t.Context(), nil, []string{"-state", dir}, &strings.Builder{}, nil); err == nil || !strings.Contains(err.Error(), "no peer has run on") {
		t.Error(err)
	}
	x := starts(t, "-state", dir, "-grace", "1m")
	err := upgradeCommand(t.Context(), nil, []string{"-state", dir, "-binary", "other"}, &strings.Builder{}, nil)
	if err == nil || !strings.Contains(err.Error(), "the peer runs inside another program") {
		t.Errorf("got %v", err)
	}
	if o, err := state.ReadOrder(disk.OS, dir); o != nil || err != nil {
		t.Errorf("the order stays: %v, %v", o, err)
	}
	if _, err := x.Invoke(t.Context(), "double", one("x", 1)); err != nil {
		t.Errorf("the peer does not run on: %v", err)
	}
	x.Close()
	if err := upgradeCommand(t.Context(), nil, []string{"-state", dir}, &strings.Builder{}, nil); err == nil || !strings.Contains(err.Error(), "no peer runs on") {
		t.Error(err)
	}
}
