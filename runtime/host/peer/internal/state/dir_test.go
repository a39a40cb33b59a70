package state

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

// onUnix reports whether files have modes, and locks exclude other processes.
const onUnix = goruntime.GOOS != "windows"

func TestState(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s, err := Open(disk.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	if onUnix {
		if _, err := Open(disk.OS, dir); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("two processes use a state directory: %v", err)
		}
	}
	if x, err := s.Read(SnapshotFile); x != nil || err != nil {
		t.Errorf("a snapshot out of nothing: %v, %v", x, err)
	}
	for i, begun := range []bool{false, true, false} {
		want := bytes.Repeat([]byte{byte(i)}, 1000*i)
		if err := s.Save(&Snapshot{want, begun, []uint64{1, 7}}); err != nil {
			t.Fatal(err)
		}
		if x, err := s.Read(SnapshotFile); err != nil || !bytes.Equal(x.Bytes, want) || x.Begun != begun || len(x.Values) != 2 {
			t.Errorf("got %+v, %v", x, err)
		}
	}
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		info, _ := f.Info()
		if onUnix && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", f.Name(), info.Mode())
		}
		if strings.HasPrefix(f.Name(), ".") {
			t.Errorf("%s is left over", f.Name())
		}
	}
	if err := os.WriteFile(filepath.Join(dir, SnapshotFile), []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(SnapshotFile); !errors.Is(err, ErrDamaged) {
		t.Error("something else is taken for a snapshot")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if s, err = Open(disk.OS, dir); err != nil {
		t.Error(err)
	} else {
		s.Close()
	}
}
