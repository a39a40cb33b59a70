package disk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

// TestReplace replaces a file, makes folders, and keeps the previous file if it cannot write.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a", "b")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for _, c := range []struct{ name, text string }{{file, "one"}, {link, "two"}} {
		if err := disk.Replace(c.name, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != c.text {
			t.Errorf("%s: got %q and %v, want %q", c.name, b, err, c.text)
		}
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v (%v), want that it is still a link", st.Mode(), err)
	}
	if err := disk.ReplaceParts(file, 0o666, []byte("a"), nil, []byte("bc")); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "abc" {
		t.Errorf("parts: %q, %v", b, err)
	}
	if err := disk.Replace(filepath.Join(file, "c"), nil, 0o666); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("below a file: got %v, want an error", err)
	}
	if list, _ := os.ReadDir(filepath.Join(dir, "a")); len(list) != 1 {
		t.Errorf("there are %v, want one file", list)
	}
}
