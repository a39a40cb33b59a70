package lockfile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// A folder is locked until it is unlocked.
func TestTake(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" || runtime.GOOS == "plan9" {
		t.Skip("no locks here")
	}
	dir := t.TempDir()
	f, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Take(dir); !errors.Is(err, ErrInUse) || err.Error() != dir+" is in use by another process" {
		t.Errorf("a folder is taken twice: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err = Take(dir); err != nil {
		t.Fatalf("given back and not to be had: %v", err)
	}
	f.Close()
	if _, err := Take(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// A waiting process gets the folder when it is unlocked, or an error after the timeout.
func TestAwait(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" || runtime.GOOS == "plan9" {
		t.Skip("no locks here")
	}
	dir := t.TempDir()
	f, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Await(dir, 0); !errors.Is(err, ErrInUse) {
		t.Errorf("without waiting: error %v, want that the file is in use", err)
	}
	go f.Close()
	if f, err = Await(dir, time.Hour); err != nil {
		t.Fatal(err)
	}
	f.Close()
}
