package spool

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/wire"
)

func testSpool(t *testing.T, dir string) *Spool {
	t.Helper()
	return testSpoolOn(t, disk.OS, dir)
}

func testSpoolOn(t testing.TB, d disk.FS, dir string) *Spool {
	t.Helper()
	s, err := New(d, dir, math.MaxInt, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func large(fill byte) []byte { return bytes.Repeat([]byte{fill}, minNamed) }

// files returns the names of the values in a folder.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// snapshot does what a host does for a snapshot that names some values.
func snapshot(t *testing.T, s *Spool, values ...wire.Blob) (names []uint64) {
	t.Helper()
	s.Next()
	for _, v := range values {
		names = append(names, s.Name(v))
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	s.Sweep()
	s.beside.wait()
	return names
}

func TestSpoolKeepsWhatSnapshotsName(t *testing.T) {
	dir := t.TempDir()
	s := testSpool(t, dir)
	a, b := s.Put(large(1), nil), s.Put(large(2), nil)
	if again := s.Put(large(1), nil); again != a {
		t.Error("a value is kept twice")
	} else {
		again.Release()
	}
	s.beside.wait()
	if got := files(t, dir); len(got) != 2 {
		t.Fatalf("files %v, want 2", got)
	}
	snapshot(t, s, a)
	a.Release()
	b.Release() // no snapshot names it
	s.beside.wait()
	if got := files(t, dir); !slices.Equal(got, []string{"1"}) {
		t.Fatalf("files %v, want that of the snapshot", got)
	}

	// The file exists as long as one of the two stored snapshots names it, and until a later snapshot is
	// durable.
	s.Next()
	if got := files(t, dir); len(got) != 1 {
		t.Fatalf("files %v, want that of the last snapshot", got)
	}
	for _, want := range []int{1, 0} {
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
		s.Sweep()
		s.beside.wait()
		if got := files(t, dir); len(got) != want {
			t.Errorf("files %v are left, want %d", got, want)
		}
		s.Next()
	}
}

func TestSpoolAfterRestart(t *testing.T) {
	dir := t.TempDir()
	s := testSpool(t, dir)
	a, lost := s.Put(large(1), nil), s.Put(large(2), nil)
	name := snapshot(t, s, a)[0]
	snapshot(t, s, lost) // its file is written, but no snapshot that names it
	if lost.Size() != minNamed {
		t.Fatalf("%d bytes", lost.Size())
	}

	s = testSpool(t, dir) // the process was killed
	got, err := s.Open(name, a.Size(), a.CRC())
	if err != nil {
		t.Fatal(err)
	}
	s.SweepOthers(nil)
	if got := files(t, dir); !slices.Equal(got, []string{"1"}) {
		t.Errorf("files %v, want what the snapshot names", got)
	}
	data := make([]byte, got.Size())
	if _, err := got.ReadAt(data, 0); err != nil || !bytes.Equal(data, large(1)) {
		t.Errorf("another value: %v", err)
	}
	if same := s.Put(large(1), nil); same != got {
		t.Error("a value that was restored is kept twice")
	}
	other := s.Put(large(3), nil)
	if s.Name(other) == name {
		t.Error("a name is used again")
	}
	snapshot(t, s, other) // nothing is written any more when the folder is removed
}

func TestSpoolRefuses(t *testing.T) {
	for what, spoil := range map[string]func(file string) error{
		"altered": func(file string) error {
			b, err := os.ReadFile(file)
			if err == nil {
				b[1000] ^= 1
				err = os.WriteFile(file, b, 0o600)
			}
			return err
		},
		"short":   func(file string) error { return os.Truncate(file, 1000) },
		"missing": os.Remove,
	} {
		dir := t.TempDir()
		s := testSpool(t, dir)
		a := s.Put(large(1), nil)
		name := snapshot(t, s, a)[0]
		if err := spoil(filepath.Join(dir, "1")); err != nil {
			t.Fatal(err)
		}
		_, err := testSpool(t, dir).Open(name, a.Size(), a.CRC())
		if !errors.Is(err, ErrValue) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Without a state directory only very large values have a file, which has no name, and received data in memory
// are limited.
func TestSpoolWithoutState(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := testSpool(t, "")
	if s.Put(large(1), nil) != nil {
		t.Error("a value is put into a file for no reason")
	}
	v := s.Put(make([]byte, minFile), nil)
	if v == nil {
		t.Fatal("a very large value stays in memory")
	}
	s.beside.wait()
	if list, _ := os.ReadDir(os.TempDir()); unlinks && len(list) > 0 {
		t.Errorf("%v has a name", list[0])
	}
	v.Release()
	s.beside.wait()
	if _, err := v.ReadAt(make([]byte, 1), 0); err == nil {
		t.Error("a value without shares is still stored")
	}
	var peers [5]Share // one uses all that it gets, and the next ones still get some
	for i := range peers {
		before := peers[i].held
		for s.Hold(&peers[i], minFile-1) {
		}
		if s.used.held > s.room.held || i < 2 && peers[i].held == before || i == 0 && peers[i].held > s.room.held/2 {
			t.Fatalf("peer %d of %v has memory, of %d", i, peers, s.used.held)
		}
	}
	for i := range peers {
		s.Unhold(&peers[i], peers[i].held)
	}
	if s.used.held != 0 {
		t.Errorf("%d bytes are held without any value", s.used.held)
	}
}
