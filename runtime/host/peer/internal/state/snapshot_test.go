package state

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
)

// The last snapshot remains complete until the next one is.
func TestSaveInPlace(t *testing.T) {
	for _, op := range []disktest.Op{disktest.Write, disktest.Sync, disktest.Rename} {
		d, dir := disktest.New(), t.TempDir()
		s := &Dir{dir: dir, disk: d}
		if err := s.Save(&Snapshot{Bytes: []byte("old")}); err != nil {
			t.Fatal(err)
		}
		broken := errors.New("broken")
		d.Fault(func(o disktest.Op, _ string) error {
			if o == op {
				return broken
			}
			return nil
		})
		err := s.Save(&Snapshot{Bytes: []byte("new")})
		d.Fault(nil)
		x, readErr := s.Read(SnapshotFile)
		if !errors.Is(err, broken) || readErr != nil || string(x.Bytes) != "old" {
			t.Errorf("%s fails: got %v, and the snapshot is %+v, %v", op, err, x, readErr)
		}
	}
}

// Files that a killed process was writing are removed.
func TestLeftOver(t *testing.T) {
	dir := t.TempDir()
	d := disktest.New()
	s, err := Open(d, dir)
	if err != nil {
		t.Fatal(err)
	}
	d.Fault(func(op disktest.Op, name string) error {
		if op == disktest.Rename || op == disktest.Remove {
			return errors.New("killed")
		}
		return nil
	})
	s.Save(&Snapshot{})
	s.Close()
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
	if s, err = Open(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := list(); !slices.Equal(got, []string{InvitesDir, "lock"}) {
		t.Errorf("%v is left", got)
	}
}

// ValuesBefore returns the values of the previous snapshot as long as that is kept.
func TestValuesBefore(t *testing.T) {
	s := &Dir{dir: t.TempDir(), disk: disk.OS}
	for _, values := range [][]uint64{{1, 7}, {8}} {
		if err := s.Save(&Snapshot{Values: values}); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.ValuesBefore(); !slices.Equal(got, []uint64{1, 7}) {
		t.Errorf("got %d, want those of the snapshot before the last", got)
	}
	s.DropPrevious()
	if got := s.ValuesBefore(); got != nil {
		t.Errorf("got %d of no snapshot", got)
	}
}

// A snapshot with a flipped bit is not read.
func TestSnapshotIsChecked(t *testing.T) {
	dir := t.TempDir()
	s := &Dir{dir: dir, disk: disk.OS}
	if err := s.Save(&Snapshot{Bytes: []byte("a snapshot"), Begun: true, Values: []uint64{7}}); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(s.Path(SnapshotFile))
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(good) {
		b := slices.Clone(good)
		b[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(s.Path(SnapshotFile), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if x, err := s.Read(SnapshotFile); !errors.Is(err, ErrDamaged) {
			t.Errorf("bit %d: got %+v, %v", bit, x, err)
		}
	}
}
