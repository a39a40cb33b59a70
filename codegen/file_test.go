package codegen

import (
	"bytes"
	"errors"
	"testing"
)

// TestFile checks the size and the content of files in several pieces.
func TestFile(t *testing.T) {
	for _, f := range []File{
		NewFile("empty"),
		NewFile("one", []byte("abcd")),
		NewFile("several", []byte("ab"), nil, []byte("cd")),
	} {
		want := "abcd"
		if f.Path == "empty" {
			want = ""
		}
		var b bytes.Buffer
		n, err := f.WriteTo(&b)
		if string(f.Bytes()) != want || b.String() != want || f.Len() != len(want) || n != int64(len(want)) || err != nil {
			t.Errorf("%q: %d bytes %q, writes %d bytes %q, %v", f, f.Len(), f.Bytes(), n, b.String(), err)
		}
	}
	f := NewFile("full", []byte("ab"), []byte("cd"))
	if n, err := f.WriteTo(&full{room: 2}); n != 2 || !errors.Is(err, errFull) {
		t.Errorf("a full disk: %d bytes written, %v", n, err)
	}
}

var errFull = errors.New("no space")

// full is a writer with room for some bytes.
type full struct{ room int }

func (w *full) Write(b []byte) (int, error) {
	if len(b) > w.room {
		return 0, errFull
	}
	w.room -= len(b)
	return len(b), nil
}
