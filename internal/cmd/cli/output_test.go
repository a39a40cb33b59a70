package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckOutput tests that a user's input is not overwritten, also under another name.
func TestCheckOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"model", "data"} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("data", "link"); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for name, want := range map[string]string{
		"":        "",
		"new":     "",
		"model":   "",
		".":       "-o . is a folder, want a file",
		"data":    "-o data would replace the input data: give another file",
		"./data":  "-o ./data would replace the input data: give another file",
		"link":    "-o link would replace the input data: give another file",
		"no/such": "",
	} {
		err := CheckOutput("-o", name, "", "data", "gone")
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
}

// TestWriteFile replaces a file, makes folders, and keeps the previous file if it cannot write.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a", "b")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for _, c := range []struct{ name, text string }{{file, "one"}, {link, "two"}} {
		if err := WriteFile(c.name, []byte(c.text)); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != c.text {
			t.Errorf("%s: got %q and %v, want %q", c.name, b, err, c.text)
		}
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v (%v), want that it is still a link", st.Mode(), err)
	}
	if err := WriteFile(filepath.Join(file, "c"), nil); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("below a file: got %v, want an error", err)
	}
	if list, _ := os.ReadDir(filepath.Join(dir, "a")); len(list) != 1 {
		t.Errorf("there are %v, want one file", list)
	}
}
