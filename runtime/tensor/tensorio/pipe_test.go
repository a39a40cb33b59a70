package tensorio

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

// brokenFile is a file without a size, or one that cannot be read.
type brokenFile struct {
	fs.File
	stat, read error
}

func (f brokenFile) Stat() (fs.FileInfo, error) {
	if f.stat != nil {
		return nil, f.stat
	}
	return f.File.Stat()
}

func (f brokenFile) Read(b []byte) (int, error) {
	if f.read != nil {
		return 0, f.read
	}
	return f.File.Read(b)
}

// TestReadFileOfPipes: of what has no size no more than the limit is read, and errors are passed on.
func TestReadFileOfPipes(t *testing.T) {
	fsys := fstest.MapFS{"file": {Data: []byte("12345")}, "pipe": {Data: []byte("12345"), Mode: fs.ModeNamedPipe}, "none": {}}
	gone := errors.New("gone")
	for _, c := range []struct {
		name       string
		most       int64
		stat, read error
		want       string
	}{
		{"file", 1, nil, nil, "12345"}, {"none", 1, nil, nil, ""}, {"pipe", 5, nil, nil, "12345"}, {"pipe", 6, nil, nil, "12345"},
		{"pipe", 4, nil, nil, "pipe is no file, and has more than 4 bytes: want a file"},
		{"file", 9, gone, nil, "gone"}, {"file", 9, nil, gone, "gone"}, {"pipe", 9, nil, gone, "gone"},
	} {
		f, err := fsys.Open(c.name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := readFile(brokenFile{f, c.stat, c.read}, c.most)
		if err != nil {
			b = []byte(err.Error())
		}
		if string(b) != c.want {
			t.Errorf("%s, at most %d: %q, want %q", c.name, c.most, b, c.want)
		}
	}
	f, _ := fsys.Open("file")
	if b, err := ReadFile(f); err != nil || string(b) != "12345" {
		t.Errorf("%q, %v", b, err)
	}
}
