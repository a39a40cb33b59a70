package train

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWriteFile replaces what a link leads to, and writes into a device in place of replacing it.
func TestWriteFile(t *testing.T) {
	write := func(text string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := writeFile(file, write("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err) // as on Windows
	}
	if err := writeFile(link, write("two")); err != nil {
		t.Fatal(err)
	}
	st, err := os.Lstat(link)
	if b, _ := os.ReadFile(file); err != nil || st.Mode()&os.ModeSymlink == 0 || string(b) != "two" {
		t.Errorf("the file has %q, and the link is %v, %v", b, st.Mode(), err)
	}
	null := filepath.Join(dir, "null")
	if err := os.Symlink(os.DevNull, null); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(null, write("three")); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(null); err != nil || st.Mode().IsRegular() {
		t.Errorf("a device has become %v, %v", st.Mode(), err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 3 {
		t.Errorf("the folder has %v, %v", list, err)
	}
}
