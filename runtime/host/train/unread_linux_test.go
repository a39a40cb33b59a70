package train

import (
	"os"
	"path/filepath"
	"testing"
)

// A pipe is unread when its reader is closed. A file never is.
func TestIsUnread(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if isUnread(w) {
		t.Error("a pipe with a reader is unread")
	}
	r.Close()
	if !isUnread(w) {
		t.Error("a pipe without a reader is not unread")
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if isUnread(f) {
		t.Error("a file is unread")
	}
}
