package peer

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

func TestState(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s, err := openState(disk.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	if modesCount {
		if _, err := openState(disk.OS, dir); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("two processes use a state directory: %v", err)
		}
	}
	if x, err := s.read(snapshotFile); x != nil || err != nil {
		t.Errorf("a snapshot out of nothing: %v, %v", x, err)
	}
	for i, begun := range []bool{false, true, false} {
		want := bytes.Repeat([]byte{byte(i)}, 1000*i)
		if err := s.save(&saved{want, begun, []uint64{1, 7}}); err != nil {
			t.Fatal(err)
		}
		if x, err := s.read(snapshotFile); err != nil || !bytes.Equal(x.snapshot, want) || x.begun != begun || len(x.values) != 2 {
			t.Errorf("got %+v, %v", x, err)
		}
	}
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		info, _ := f.Info()
		if modesCount && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", f.Name(), info.Mode())
		}
		if strings.HasPrefix(f.Name(), ".") {
			t.Errorf("%s is left over", f.Name())
		}
	}
	if err := os.WriteFile(filepath.Join(dir, snapshotFile), []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.read(snapshotFile); !errors.Is(err, errDamaged) {
		t.Error("something else is taken for a snapshot")
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if s, err = openState(disk.OS, dir); err != nil {
		t.Error(err)
	} else {
		s.close()
	}
}

func TestKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key.pem")
	key, err := NewKey(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ReadKey(file); err != nil || !key.Equal(got) {
		t.Errorf("another key comes back: %v", err)
	}
	if _, err := NewKey(file); err == nil {
		t.Error("a key is written over")
	}
	if modesCount {
		os.Chmod(file, 0o640)
		if _, err := ReadKey(file); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("a key that others can read: %v", err)
		}
	}
	os.Remove(file)
	os.WriteFile(file, []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0o600)
	if _, err := ReadKey(file); err == nil {
		t.Error("a damaged key is read")
	}
}
