package peer

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/wire"
)

// keep has a host keep a snapshot.
func keep(t *testing.T, h *host, begun bool) {
	t.Helper()
	h.spool.next()
	for ok := true; ok; {
		_, ok = h.node.Poll(h.now())
	}
	b, err := h.node.Snapshot(nil)
	if err == nil {
		err = h.state.save(&saved{b, begun, h.spool.names()})
	}
	if err != nil {
		t.Fatal(err)
	}
	h.spool.sweep()
	h.node.Persisted(h.now())
}

// A peer whose last snapshot is damaged goes on from the one before, and says so. It
// does not do so twice, nor when the last one was moved away.
func TestSnapshotDamaged(t *testing.T) {
	for how, spoil := range map[string]func(file string, b []byte) error{
		"short": func(file string, b []byte) error { return os.WriteFile(file, b[:len(b)/2], 0o600) },
		"empty": func(file string, _ []byte) error { return os.WriteFile(file, nil, 0o600) },
		"flipped": func(file string, b []byte) error {
			b[len(b)/2] ^= 4
			return os.WriteFile(file, b, 0o600)
		},
		"another state": func(file string, b []byte) error {
			return os.WriteFile(file, []byte(strings.Replace(string(b), stateBegun, stateWaiting, 1)), 0o600)
		},
	} {
		o := Options{State: t.TempDir()}
		h, err := newTestHost(t, o, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		file := h.state.path(snapshotFile)
		keep(t, h, false)
		keep(t, h, true)
		h.giveUp()
		b, err := os.ReadFile(file)
		if err == nil {
			err = spoil(file, slices.Clone(b))
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, again := range []bool{false, true} {
			var errs strings.Builder
			if h, err = newTestHost(t, o, &errs); err != nil {
				t.Fatalf("%s: %v", how, err)
			}
			if h.started {
				t.Errorf("%s: it goes on from the damaged snapshot", how)
			}
			if told := strings.Contains(errs.String(), "goes back to the one before"); told == again {
				t.Errorf("%s: it says %s", how, &errs)
			}
			if _, err := os.Stat(h.state.path(damagedFile)); err != nil {
				t.Errorf("%s: the damaged one is gone: %v", how, err)
			}
			h.giveUp()
		}
		os.WriteFile(file, b[:10], 0o600)
		if _, err = newTestHost(t, o, io.Discard); !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: both are damaged, and it says %v", how, err)
		}
	}
}

// Who moves the last snapshot away begins anew, though there is one before.
func TestBeginAnew(t *testing.T) {
	o := Options{State: t.TempDir()}
	h, err := newTestHost(t, o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, h, true)
	keep(t, h, true)
	h.giveUp()
	if err := os.Remove(h.state.path(snapshotFile)); err != nil {
		t.Fatal(err)
	}
	if h, err = newTestHost(t, o, io.Discard); err != nil || h.started {
		t.Errorf("it goes on: %v", err)
	}
}

// Values that the snapshot before the last names survive a restart, as long as that
// snapshot is kept.
func TestValuesOfPrevious(t *testing.T) {
	dir := t.TempDir()
	state := &stateDir{dir: dir, disk: disk.OS}
	s := testSpool(t, dir)
	for i := range byte(2) {
		v := s.Put(large(i), nil)
		names := snapshot(t, s, v)
		v.Release()
		if err := state.save(&saved{values: names}); err != nil {
			t.Fatal(err)
		}
	}
	s = testSpool(t, dir) // the process was killed
	os.WriteFile(filepath.Join(dir, valuesDir, "9"), nil, 0o600)
	last, err := state.read(snapshotFile)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Open(last.values[0], minNamed, wire.CRC(large(1)))
	if err != nil {
		t.Fatal(err)
	}
	s.sweepOthers(state)
	if got := files(t, dir); !slices.Equal(got, []string{"1", "2"}) {
		t.Fatalf("files %v, want those of both snapshots", got)
	}
	snapshot(t, s, v)
	if got := files(t, dir); !slices.Equal(got, []string{"2"}) {
		t.Errorf("files %v, want that of the snapshot", got)
	}
}

// What a killed process has left of files that it was writing is removed.
func TestLeftOver(t *testing.T) {
	dir := t.TempDir()
	d := disktest.New()
	s, err := openState(d, dir)
	if err != nil {
		t.Fatal(err)
	}
	d.Fault(func(op disktest.Op, name string) error {
		if op == disktest.Rename || op == disktest.Remove {
			return errors.New("killed")
		}
		return nil
	})
	s.save(&saved{})
	s.close()
	list := func() (names []string) {
		all, _ := os.ReadDir(dir)
		for _, e := range all {
			names = append(names, e.Name())
		}
		return names
	}
	if got := list(); len(got) != 3 {
		t.Fatalf("%v; want a temporary file, too", got)
	}
	if s, err = openState(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if got := list(); !slices.Equal(got, []string{invitesDir, "lock"}) {
		t.Errorf("%v is left", got)
	}
}

// A state directory that can only be read is told, with what to do.
func TestReadOnlyState(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	d.Fault(func(op disktest.Op, _ string) error {
		if op != disktest.Open {
			return syscall.EROFS
		}
		return nil
	})
	_, err := newTestHost(t, Options{State: dir, disk: d}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "-state "+dir+": nothing can be written there") {
		t.Errorf("got %v", err)
	}
}

// A state disk that is full when the peer starts ends it no more than one that gets
// full later.
func TestFullAtStart(t *testing.T) {
	d, o := disktest.New(), Options{State: t.TempDir()}
	h, err := newTestHost(t, o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, h, true)
	h.giveUp()
	d.Room(0)
	var errs strings.Builder
	o.disk = d
	if h, err = newTestHost(t, o, &errs); err != nil {
		t.Fatalf("it ends: %v", err)
	}
	if !h.started || h.unsaved == "" || !strings.Contains(errs.String(), "no space left") {
		t.Errorf("it says nothing of it: %s", &errs)
	}
}
