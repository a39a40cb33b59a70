//go:build unix

package spool

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestSpecialFiles: a pipe or a folder in the place of a value is not waited for. It is not the value, so that the peer continues from
// its snapshot before.
func TestSpecialFiles(t *testing.T) {
	s := testSpool(t, t.TempDir())
	for name, put := range map[string]func(file string) error{
		"pipe":   func(file string) error { return syscall.Mkfifo(file, 0o600) },
		"folder": func(file string) error { return os.Mkdir(file, 0o700) },
	} {
		if err := put(s.path(1)); err != nil {
			t.Skipf("no such file system: %v", err)
		}
		info, err := os.Stat(s.path(1))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Open(1, uint64(info.Size()), 0)
		if !errors.Is(err, ErrValue) || !strings.HasSuffix(err.Error(), "1: it is no file but a "+name) {
			t.Errorf("a %s: %v", name, err)
		}
		if err := os.Remove(s.path(1)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPipeInPlaceOfCopy: a pipe with the name of the copy that a value gets after a failed sync is not written.
func TestPipeInPlaceOfCopy(t *testing.T) {
	d := newPowered()
	s := testSpoolOn(t, d, t.TempDir())
	v := s.Put(large(1), nil).(*valueFile)
	s.beside.wait()
	if err := syscall.Mkfifo(s.path(v.name)+".again", 0o600); err != nil {
		t.Skipf("no such file system: %v", err)
	}
	s.Next()
	s.Name(v)
	d.fails = 1
	if err := s.Sync(); err == nil || !strings.HasSuffix(err.Error(), "1.again: it is no file but a pipe") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(s.path(v.name) + ".again"); err != nil {
		t.Fatal(err)
	}
	snapshot(t, s, v)
}
