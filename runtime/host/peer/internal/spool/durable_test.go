package spool

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
)

// Everything that a snapshot names becomes durable before the snapshot: a value's bytes, then its name.
func TestValuesAreSynced(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	s := testSpoolOn(t, d, dir)
	var synced []string
	d.Fault(func(op disktest.Op, name string) error {
		if op == disktest.Sync {
			synced = append(synced, filepath.Base(name))
		}
		return nil
	})
	v := s.Put(large(1), nil)
	if v == nil {
		t.Fatal("the value is not kept")
	}
	name := snapshot(t, s, v)[0]
	if want := []string{filepath.Base(s.path(name)), filepath.Base(dir)}; !slices.Equal(synced, want) {
		t.Errorf("synced are %q, want %q", synced, want)
	}
}

// A value whose file cannot be synced is written to another file. If that cannot be synced either, there is no
// snapshot now, but there may be one later.
func TestValueIsRewritten(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	s := testSpoolOn(t, d, dir)
	v := s.Put(large(1), nil)
	if v == nil {
		t.Fatal("the value is not kept")
	}
	s.Next()
	name, broken, fails, rewritten := s.Name(v), errors.New("broken"), 2, false
	d.Fault(func(op disktest.Op, file string) error {
		rewritten = rewritten || op == disktest.Rename && file == s.path(name)
		if op != disktest.Sync || fails == 0 {
			return nil
		}
		fails--
		return broken
	})
	if err := s.Sync(); !errors.Is(err, broken) || errors.Is(err, ErrUnsure) {
		t.Errorf("two syncs have failed: %v", err)
	}
	if err := s.Sync(); err != nil {
		t.Errorf("no sync fails: %v", err)
	}
	if !rewritten {
		t.Error("a file is taken to be durable because a second sync of it has not failed")
	}
	b, err := os.ReadFile(s.path(name))
	if err != nil || !bytes.Equal(b, large(1)) {
		t.Errorf("the file has %d bytes: %v", len(b), err)
	}
	got := make([]byte, v.Size())
	if _, err := v.ReadAt(got, 0); err != nil || !bytes.Equal(got, large(1)) {
		t.Errorf("the value is read otherwise: %v", err)
	}
	v.Release()
	s.Sweep()
	s.Next()
	s.Sweep()
	s.Next()
	s.Sweep()
	s.beside.wait()
	if list, _ := os.ReadDir(s.dir); len(list) > 0 {
		t.Errorf("files are left: %v", list)
	}
}
