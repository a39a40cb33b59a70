//go:build unix

package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
)

// TestEveryOperation lets each operation of a write fail in turn: the file is the old one or the new one, complete, and which
// of them follows from the operation. Only if the operation is the removal of what is left, that stays.
func TestEveryOperation(t *testing.T) {
	broken := errors.New("broken")
	for at := 0; ; at++ {
		d, dir := disktest.New(), t.TempDir()
		file := filepath.Join(dir, "x")
		if err := disk.Write(d, file, 0o600, []byte("old")); err != nil {
			t.Fatal(err)
		}
		n, failed := 0, disktest.Op("")
		d.Fault(func(op disktest.Op, name string) error {
			if n++; n-1 != at {
				return nil
			}
			if failed = op; op == disktest.Sync && name == dir {
				failed = "sync folder"
			}
			return broken
		})
		err := disk.Write(d, file, 0o600, []byte("n"), []byte("ew"))
		if n <= at {
			if err != nil || at < 5 {
				t.Errorf("after %d operations: %v", n, err)
			}
			alone(t, dir, "x", "new")
			return
		}
		if !errors.Is(err, broken) {
			t.Errorf("%s fails: got %v", failed, err)
		}
		want := "old"
		if failed == "sync folder" { // it is renamed, and may be lost in a crash
			want = "new"
		}
		alone(t, dir, "x", want)
	}
}

// TestNamesInUse: a temporary file of another writer is neither written nor removed.
func TestNamesInUse(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	tries := 0
	d.Fault(func(op disktest.Op, name string) error {
		if op != disktest.Create {
			return nil
		}
		if tries++; tries < 5 {
			return fs.ErrExist
		}
		return nil
	})
	if err := disk.Write(d, filepath.Join(dir, "x"), 0o600, []byte("new")); err != nil || tries != 5 {
		t.Errorf("after %d tries: %v", tries, err)
	}
	alone(t, dir, "x", "new")
	d.Fault(func(op disktest.Op, name string) error {
		if op == disktest.Create {
			tries++
			return fs.ErrExist
		}
		return nil
	})
	tries = 0
	if err := disk.Write(d, filepath.Join(dir, "x"), 0o600, []byte("newer")); !errors.Is(err, fs.ErrExist) || tries < 10 || tries > 1000 {
		t.Errorf("if all names are in use: %v after %d tries", err, tries)
	}
	alone(t, dir, "x", "new")
}

// TestPrepared: a prepared file is durable and has the wanted permissions, and the file that it is for stays as it is until it
// is committed.
func TestPrepared(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	temp, err := disk.Prepare(disk.OS, file, 0o600, []byte("ne"), []byte("w"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
	st, err := os.Stat(temp)
	if err != nil || st.Mode().Perm() != 0o600 || filepath.Dir(temp) != dir || !strings.HasPrefix(filepath.Base(temp), ".") {
		t.Errorf("%s is %v, %v", temp, st, err)
	}
	if err := disk.Commit(disk.OS, temp, file); err != nil {
		t.Fatal(err)
	}
	alone(t, dir, "x", "new")
	if err := disk.Commit(disk.OS, temp, file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("committed twice: %v", err)
	}
	alone(t, dir, "x", "new")
}

// TestOS: the file system of the process reports what is not there, and makes links that do not replace.
func TestOS(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	if f, err := disk.OS.OpenFile(none, os.O_RDONLY, 0); f != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file is %v, %v", f, err)
	}
	if err := disk.OS.SyncDir(none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	sub := filepath.Join(dir, "a", "b")
	if err := disk.OS.MkdirAll(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	from, to := filepath.Join(sub, "from"), filepath.Join(sub, "to")
	if err := disk.Write(disk.OS, from, 0o600, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := disk.OS.Link(from, to); err != nil {
		t.Fatal(err)
	}
	if err := disk.OS.Link(from, to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link replaces a file: %v", err)
	}
	if b, err := disk.OS.ReadFile(to); err != nil || string(b) != "x" {
		t.Errorf("the link is %q, %v", b, err)
	}
	if list, err := disk.OS.ReadDir(sub); err != nil || len(list) != 2 {
		t.Errorf("the folder has %v, %v", list, err)
	}
}

// TestReplaceNoFolder: where a folder cannot be made, as a file has its name, nothing is written.
func TestReplaceNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	for range 2 {
		if err := disk.Replace(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := disk.Replace(filepath.Join(file, "y"), []byte("y"), 0o600); err == nil {
		t.Error("a file is a folder")
	}
	alone(t, filepath.Dir(file), "x", "x")
	if to, ok := disk.Replaceable(filepath.Dir(file)); ok {
		t.Errorf("a folder is replaced by %s", to)
	}
	if err := disk.Replace(os.DevNull, []byte("x"), 0o600); err != nil {
		t.Errorf("a device: %v", err)
	}
	if st, err := os.Stat(os.DevNull); err != nil || st.Mode().IsRegular() {
		t.Errorf("the device is %v, %v", st.Mode(), err)
	}
}

// TestKindsOfErrors: errors that callers treat differently are told apart, also inside of others.
func TestKindsOfErrors(t *testing.T) {
	for _, c := range []struct {
		err                       error
		full, readOnly, noHandles bool
	}{
		{syscall.ENOSPC, true, false, false},
		{syscall.EDQUOT, true, false, false},
		{syscall.EROFS, false, true, false},
		{syscall.EMFILE, false, false, true},
		{syscall.ENFILE, false, false, true},
		{syscall.EIO, false, false, false},
		{nil, false, false, false},
	} {
		for _, err := range []error{c.err, &fs.PathError{Op: "write", Path: "x", Err: c.err}, fmt.Errorf("snapshot: %w", errors.Join(c.err, errors.New("and more")))} {
			if c.err == nil {
				err = nil
			}
			if disk.IsFull(err) != c.full || disk.IsReadOnly(err) != c.readOnly || disk.NoDescriptors(err) != c.noHandles {
				t.Errorf("%v: full %v, read-only %v, no descriptors %v", err, disk.IsFull(err), disk.IsReadOnly(err), disk.NoDescriptors(err))
			}
		}
	}
}
