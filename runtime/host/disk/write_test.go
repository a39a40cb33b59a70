package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
)

// A failed write, at any operation, leaves the previous file complete and no other file.
func TestWriteFails(t *testing.T) {
	for _, op := range []disktest.Op{disktest.Create, disktest.Write, disktest.Sync, disktest.Rename} {
		d, dir := disktest.New(), t.TempDir()
		file := filepath.Join(dir, "x")
		if err := disk.Write(d, file, 0o600, []byte("old")); err != nil {
			t.Fatal(err)
		}
		d.Fault(func(o disktest.Op, name string) error {
			if o == op {
				return syscall.ENOSPC
			}
			return nil
		})
		if err := disk.Write(d, file, 0o600, []byte("new")); !disk.IsFull(err) {
			t.Errorf("%s fails: got %v", op, err)
		} else if op != disktest.Rename && !strings.HasPrefix(err.Error(), "cannot write "+file+", which stays as it was: ") {
			t.Errorf("%s fails: the error is %q, want %s in it, unchanged", op, err, file)
		}
		alone(t, dir, "x", "old")
	}
}

// A disk with room for only a part of a file keeps nothing of it.
func TestWriteShort(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	file := filepath.Join(dir, "x")
	if err := disk.Write(d, file, 0o600, []byte("old")); err != nil {
		t.Fatal(err)
	}
	d.Room(2)
	if err := disk.Write(d, file, 0o600, []byte("n"), []byte("ew")); !disk.IsFull(err) {
		t.Errorf("got %v", err)
	}
	alone(t, dir, "x", "old")
}

// alone checks that a folder holds only one file.
func alone(t *testing.T, dir, name, content string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 || list[0].Name() != name {
		t.Fatalf("%v, %v; want %s alone", list, err, name)
	}
	if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != content {
		t.Errorf("got %q, %v; want %q", b, err, content)
	}
}

// Only files of a killed process are removed.
func TestClean(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	for _, name := range []string{"x", ".y"} {
		if err := disk.Write(d, filepath.Join(dir, name), 0o600, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	d.Fault(func(op disktest.Op, name string) error {
		if op == disktest.Rename || op == disktest.Remove { // the process is killed before
			return errors.New("killed")
		}
		return nil
	})
	if err := disk.Write(d, filepath.Join(dir, "x"), 0o600, []byte("new")); err == nil {
		t.Fatal("it is written")
	}
	d.Fault(nil)
	if list, _ := os.ReadDir(dir); len(list) != 3 {
		t.Fatalf("%v; want three files", list)
	}
	disk.Clean(d, dir)
	var names []string
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != ".y x" {
		t.Errorf("left are %s, want .y x", got)
	}
}
