package project

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/lockfile"
)

// A run removes the folders of killed ones, and no folder that a process still uses or that is not one of bbgen's.
func TestTempDirs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.TempDir())
	const pattern = "bbgen-try-*"
	used, remove, err := TempDir("", pattern)
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * abandoned)
	folder := func(name string, locked bool) string {
		dir := filepath.Join(os.TempDir(), name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if locked {
			if err := os.WriteFile(filepath.Join(dir, lockfile.Name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	killed, young, other := folder("bbgen-try-1", true), folder("bbgen-try-2", true), folder("bbgen-try-3", false)
	for _, dir := range []string{used, killed, other} {
		if err := os.Chtimes(dir, long, long); err != nil {
			t.Fatal(err)
		}
	}
	_, removeSecond, err := TempDir("", pattern)
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{used: true, killed: false, young: true, other: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: %v, want that it is there: %v", filepath.Base(dir), err, want)
		}
	}
	remove()
	removeSecond()
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), pattern)); len(left) != 2 {
		t.Errorf("%v are left, want the two that no process of this test has made", left)
	}
}
