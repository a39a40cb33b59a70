//go:build unix

package disk_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

// TestSpecialFiles: a pipe nobody writes to is not waited for, and a device without an end is not read.
func TestSpecialFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "snapshot")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "self.json")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, want := range map[string]string{pipe: "a pipe", link: "a device", dir: "a folder"} {
		for _, flag := range []int{os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREATE | os.O_TRUNC} {
			f, err := disk.OS.OpenFile(name, flag, 0o600)
			if err == nil {
				f.Close()
			}
			if writes := name == dir && flag != os.O_RDONLY; err == nil || !writes && (!disk.IsSpecial(err) || !strings.HasSuffix(err.Error(), want)) {
				t.Errorf("%s with flags %x: %v, want that it is %s", name, flag, err, want)
			}
		}
	}
	for name, want := range map[string]string{pipe: "snapshot: it is no file but a pipe", link: "self.json: it is no file but a device"} {
		if b, err := disk.OS.ReadFile(name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%d bytes, %v, want %s", len(b), err, want)
		}
	}
}
