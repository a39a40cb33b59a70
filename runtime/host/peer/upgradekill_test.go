package peer

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/upgrade"
)

// The fingerprints of two programs whose snapshots have the same layout.
const oldPrint, newPrint = "01", "02"

// release returns a program of the same class and layout with another fingerprint and build.
func release(t *testing.T, print, build string) Program {
	t.Helper()
	fingerprint, err := hex.DecodeString(print)
	if err != nil {
		t.Fatal(err)
	}
	part := handmade.Ping(1)
	part.Fingerprint = fingerprint
	return Program{Name: "test", Class: part.Class, Fingerprint: fingerprint, BuildID: build, Transport: newLAN().transport,
		Partition: func(runtime.Env) (*runtime.Partition, error) { return part, nil }}
}

// site is what is on the disk of a peer: its binary and its state directory.
type site struct{ dir, state, binary, next string }

// newSite returns a peer of the old program that has written a snapshot, and has ended; a file with the new binary lies beside its own.
func newSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{dir: dir, state: filepath.Join(dir, "state"), binary: filepath.Join(dir, "peer"), next: filepath.Join(dir, "next")}
	script(t, s.binary, says(t, versionOfRelease(release(t, oldPrint, "1"))))
	script(t, s.next, says(t, versionOfRelease(release(t, newPrint, "2"))))
	x := s.start(t, disk.OS, release(t, oldPrint, "1"))
	if err := x.end(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(s.state, state.SnapshotFile)); err != nil {
		t.Fatal(err)
	}
	return s
}

func versionOfRelease(p Program) state.Version {
	part, _ := p.Partition(runtime.Env{})
	return p.version(part.Schema)
}

// start runs a release on the state directory. The flags are those that a supervisor has: the fingerprint of the new program, for
// which the peer was prepared.
func (s *site) start(t *testing.T, d disk.FS, p Program, args ...string) *station {
	t.Helper()
	x, err := s.tries(t, d, p, append([]string{"-accept", newPrint}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (s *site) tries(t *testing.T, d disk.FS, p Program, args ...string) (*station, error) {
	t.Helper()
	x, err := newLAN().runOn(t, p, func(o *Options) { o.disk = d }, append([]string{"-state", s.state}, args...)...)
	if err != nil {
		return nil, err
	}
	x.see(func(h *host) { h.upgrader.Binary, h.upgrader.Args = s.binary, []string{"-state", s.state} })
	return x, nil
}

// runs returns the release whose binary is in place.
func (s *site) runs(t *testing.T) Program {
	t.Helper()
	b, err := os.ReadFile(s.binary)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), `"fingerprint":"`+newPrint+`"`) {
		return release(t, newPrint, "2")
	}
	return release(t, oldPrint, "1")
}

// files returns the state directory, without the lock.
func (s *site) files(t *testing.T) (names []string) {
	t.Helper()
	list, err := os.ReadDir(s.state)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// snapshot returns the file of the last snapshot.
func (s *site) snapshot(t *testing.T) os.FileInfo {
	t.Helper()
	info, err := os.Stat(filepath.Join(s.state, state.SnapshotFile))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// killed copies a state directory and the binaries beside it, as they are at some moment.
func (s *site) killed(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(s.dir)); err != nil {
		t.Fatal(err)
	}
	m := &site{dir: dir, state: filepath.Join(dir, "state"), binary: filepath.Join(dir, "peer"), next: filepath.Join(dir, "next")}
	if err := os.Chmod(filepath.Join(m.state, state.KeyFile), 0o600); err != nil { // the copy is readable by all
		t.Fatal(err)
	}
	return m
}

// operations counts the operations on a disk that change files, and calls at before each.
func operations(d *disktest.Faulty, at func(op disktest.Op, name string)) {
	d.Fault(func(op disktest.Op, name string) error {
		if op != disktest.Open {
			at(op, name)
		}
		return nil
	})
}

// moments has a peer take its order, and copies what is on the disk before each operation on the state directory and behind the last.
// It says which operations these are. The successor accepts a program.
func (s *site) moments(t *testing.T, d *disktest.Faulty, x *station, accepts string) (moments []*site, what []string) {
	t.Helper()
	operations(d, func(op disktest.Op, name string) {
		moments, what = append(moments, s.killed(t)), append(what, fmt.Sprint(op, " ", filepath.Base(name)))
	})
	x.see(func(h *host) { h.upgrader.Look() })
	<-x.ended
	if x.err != nil {
		t.Fatal(x.err)
	}
	err := x.h.upgrader.End(t.Context(), x.err)
	if next, ok := errors.AsType[*upgrade.Successor](err); !ok || strings.Join(next.Args, " ") != "-state "+s.state+" -accept "+accepts {
		t.Fatalf("it ends with %v", err)
	}
	d.Fault(nil)
	moments, what = append(moments, s.killed(t)), append(what, "the exchange")
	if len(moments) < 10 {
		t.Fatalf("there are only the moments %q", what)
	}
	return moments, what
}

// TestKilledDuringUpgrade kills a peer before each operation on its state directory from the order to the exchange of the process,
// and behind the last: what is on the disk then is copied. A supervisor starts the binary that is in place, with the flags of the
// old one. It continues from the snapshot, and the command upgrade learns what runs, without saying that nothing has changed if the
// binary was replaced.
func TestKilledDuringUpgrade(t *testing.T) {
	s := newSite(t)
	d := disktest.New()
	x := s.start(t, d, release(t, oldPrint, "1"))
	o := &state.Order{ID: "mine", Binary: s.next, Stage: state.Ordered, Until: time.Now().Add(time.Hour)}
	if err := place(s.state, o); err != nil {
		t.Fatal(err)
	}
	moments, what := s.moments(t, d, x, oldPrint)
	replaced := 0
	for i, m := range moments {
		t.Run(fmt.Sprintf("%d before %s", i, what[i]), func(t *testing.T) {
			before, err := state.ReadOrder(disk.OS, m.state)
			if err != nil {
				t.Fatal(err)
			}
			p := m.runs(t)
			fresh := p.BuildID == "2"
			if fresh {
				replaced++
			}
			if fresh && before.Stage == state.Ordered {
				t.Error("the binary is replaced, and the command will say that nothing has changed")
			}
			y, err := m.tries(t, disk.OS, p, "-accept", newPrint)
			if err != nil {
				t.Fatalf("build %s cannot continue: %v", p.BuildID, err)
			}
			y.see(func(h *host) { h.upgrader.Arrive() })
			after, err := state.ReadOrder(disk.OS, m.state)
			if err != nil {
				t.Fatal(err)
			}
			want := map[state.Stage]state.Stage{state.Ordered: state.Ordered, state.Taken: state.Refused, state.Accepted: state.Upgraded}[before.Stage]
			if fresh {
				want = state.Upgraded
			}
			if after.Stage != want || want == state.Upgraded && after.Now != versionOfRelease(p) {
				t.Errorf("build %s runs after the order was %s, which is %s then, of build %s; want %s", p.BuildID, before.Stage, after.Stage, after.Now.Build, want)
			}
			if !fresh && slices.Contains(m.files(t), state.PredecessorFile) {
				t.Error("the old binary runs, and the directory says that another one continues")
			}
			if err := y.end(); err != nil {
				t.Error(err)
			}
		})
	}
	if replaced < 2 || replaced == len(moments) {
		t.Errorf("at %d of %d moments the binary was replaced: the test does not see both", replaced, len(moments))
	}
}

// TestKilledDuringSecondUpgrade kills a peer that is upgraded back to the old program before it has written any snapshot of the new one.
// Whichever binary is in place then continues from the snapshot, and from the one before.
func TestKilledDuringSecondUpgrade(t *testing.T) {
	s := newSite(t)
	if err := state.WritePredecessor(disk.OS, s.state, &state.Predecessor{Fingerprint: newPrint, Accept: oldPrint}); err != nil {
		t.Fatal(err)
	}
	script(t, s.binary, says(t, versionOfRelease(release(t, newPrint, "2"))))
	script(t, s.next, says(t, versionOfRelease(release(t, oldPrint, "1"))))
	d := disktest.New()
	x, err := s.tries(t, d, release(t, newPrint, "2"), "-accept", oldPrint) // as the first upgrade starts it
	if err != nil {
		t.Fatal(err)
	}
	if err := place(s.state, &state.Order{ID: "mine", Binary: s.next, Stage: state.Ordered, Until: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	moments, what := s.moments(t, d, x, newPrint)
	for i, m := range moments {
		t.Run(fmt.Sprintf("%d before %s", i, what[i]), func(t *testing.T) {
			back := m.killed(t)
			m.continues(t)
			if err := os.Rename(filepath.Join(back.state, state.PreviousFile), filepath.Join(back.state, state.SnapshotFile)); err == nil {
				back.continues(t)
			}
		})
	}
}

// continues starts the binary that is in place, with the flags that the peer had before all upgrades.
func (s *site) continues(t *testing.T) {
	t.Helper()
	p := s.runs(t)
	x, err := s.tries(t, disk.OS, p, "-accept", newPrint)
	if err != nil {
		t.Fatalf("build %s cannot continue: %v", p.BuildID, err)
	}
	if err := x.end(); err != nil {
		t.Error(err)
	}
}

// TestContinuesUntilSnapshots: the new binary accepts the old program, whatever starts it, until no snapshot of that is left; after
// that it does so only with the flag.
func TestContinuesUntilSnapshots(t *testing.T) {
	s := newSite(t)
	fresh := release(t, newPrint, "2")
	if _, err := s.tries(t, disk.OS, fresh); err == nil {
		t.Fatal("a snapshot of another program is accepted, and nobody has said so")
	}
	if err := state.WritePredecessor(disk.OS, s.state, &state.Predecessor{Fingerprint: newPrint, Accept: oldPrint}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.tries(t, disk.OS, fresh, "-accept", third); err == nil {
		t.Error("the flag names another program, and is not obeyed")
	}
	for run := range 2 { // as many snapshots are kept
		for _, args := range [][]string{nil, {"-accept", strings.ToUpper(newPrint)}, {"-accept", oldPrint}} {
			m := s.killed(t)
			x, err := m.tries(t, disk.OS, fresh, args...)
			if err != nil {
				t.Fatalf("after %d snapshots, with %q: %v", run, args, err)
			}
			if err := x.end(); err != nil { // writes a snapshot
				t.Error(err)
			}
			if !slices.Contains(m.files(t), state.PredecessorFile) {
				t.Errorf("after a snapshot of the run %d, with %q, the directory does not say any more that the old program is accepted", run, args)
			}
		}
		x, err := s.tries(t, disk.OS, fresh)
		if err != nil {
			t.Fatal(err)
		}
		if run > 0 { // the end writes the second one
			before := s.snapshot(t)
			x.see(func(h *host) { h.checkpoint() })
			for os.SameFile(before, s.snapshot(t)) {
				time.Sleep(time.Millisecond)
			}
		}
		if err := x.end(); err != nil {
			t.Error(err)
		}
	}
	if slices.Contains(s.files(t), state.PredecessorFile) {
		t.Error("no snapshot of the old program is left, and it is still accepted")
	}
	for _, name := range []string{state.SnapshotFile, state.PreviousFile} {
		m := s.killed(t)
		if err := os.Rename(filepath.Join(m.state, name), filepath.Join(m.state, state.SnapshotFile)); err != nil {
			t.Fatal(err)
		}
		x, err := m.tries(t, disk.OS, fresh)
		if err != nil {
			t.Fatalf("%s is not of the new program: %v", name, err)
		}
		x.see(func(h *host) {
			if len(h.config.Accept) > 0 {
				t.Errorf("with %s it accepts %x", name, h.config.Accept)
			}
		})
		if err := x.end(); err != nil {
			t.Error(err)
		}
	}
}

// TestPredecessorDamaged: a record that cannot be read, or is of another program, is no reason not to start, and lets nobody in.
func TestPredecessorDamaged(t *testing.T) {
	sealed := func(p state.Predecessor) []byte {
		b, err := state.Seal(&p)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := sealed(state.Predecessor{Fingerprint: oldPrint, Accept: newPrint})
	flipped := slices.Clone(good)
	flipped[len(flipped)-8] ^= 1
	for name, c := range map[string]struct {
		b     []byte
		stays bool
	}{
		"empty":                {nil, true},
		"cut off":              {good[:len(good)/2], true},
		"changed":              {flipped, true},
		"no object":            {[]byte("[]"), true},
		"of another program":   {sealed(state.Predecessor{Fingerprint: newPrint, Accept: third}), false},
		"of no fingerprint":    {sealed(state.Predecessor{Fingerprint: oldPrint, Accept: "xyz"}), true},
		"of an empty one":      {sealed(state.Predecessor{Fingerprint: oldPrint, Accept: ""}), true},
		"of a missing program": {sealed(state.Predecessor{Fingerprint: "", Accept: newPrint}), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			file := filepath.Join(s.state, state.PredecessorFile)
			if err := os.WriteFile(file, c.b, 0o600); err != nil {
				t.Fatal(err)
			}
			x, err := s.tries(t, disk.OS, release(t, oldPrint, "1"))
			if err != nil {
				t.Fatal(err)
			}
			x.see(func(h *host) {
				if len(h.config.Accept) > 0 {
					t.Errorf("it accepts %x", h.config.Accept)
				}
			})
			if _, err := os.Stat(file); (err == nil) != c.stays {
				t.Errorf("the record is there: %v, want %v", err == nil, c.stays)
			}
			if err := x.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

const third = "03"
