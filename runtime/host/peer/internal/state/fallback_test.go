package state

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
)

// FallBack puts the previous snapshot in the place of the last one, which stays under another name. A second one has
// nothing to go back to, and leaves the last one alone.
func TestFallBack(t *testing.T) {
	s, err := Open(disk.OS, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, text := range []string{"first", "second"} {
		if err := s.Save(&Snapshot{Bytes: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(name, want string) {
		t.Helper()
		x, err := s.Read(name)
		if got := "nothing"; err != nil || x == nil && want != got || x != nil && string(x.Bytes) != want {
			t.Errorf("%s holds %+v, %v, want %s", name, x, err, want)
		}
	}
	if err := s.FallBack(); err != nil {
		t.Fatal(err)
	}
	holds(SnapshotFile, "first")
	holds(DamagedFile, "second")
	holds(PreviousFile, "nothing")
	if err := s.FallBack(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a second time: %v", err)
	}
	holds(SnapshotFile, "first")
}

// A directory that cannot be read is an error of its own, not a missing snapshot.
func TestReadFails(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	d.Fault(func(op disktest.Op, _ string) error {
		if op == disktest.Open {
			return syscall.EIO
		}
		return nil
	})
	if x, err := Read(d, dir, SnapshotFile); x != nil || !errors.Is(err, syscall.EIO) {
		t.Errorf("got %+v, %v", x, err)
	}
	if err := os.Mkdir(dir+"/"+SnapshotFile, 0o700); err != nil {
		t.Fatal(err)
	}
	if x, err := Read(disk.OS, dir, SnapshotFile); x != nil || err == nil {
		t.Errorf("a folder in its place: %+v, %v", x, err)
	}
}

// A directory that cannot be written is reported with advice, whatever forbids it.
func TestUnwritable(t *testing.T) {
	for _, why := range []error{syscall.EROFS, syscall.EACCES, syscall.EPERM} {
		d, dir := disktest.New(), t.TempDir()
		d.Fault(func(op disktest.Op, _ string) error {
			if op == disktest.Mkdir {
				return why
			}
			return nil
		})
		_, err := Open(d, dir)
		if !errors.Is(err, why) || !strings.HasPrefix(err.Error(), "-state "+dir+": nothing can be written there") || !strings.Contains(err.Error(), "give the directory to the user") {
			t.Errorf("%v: got %v", why, err)
		}
	}
}

// A file in the place of the directory, or of a part of its path, is reported with the flag and what is wanted there.
func TestStateIsFile(t *testing.T) {
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, file + "/below"} {
		_, err := Open(disk.OS, dir)
		if err == nil || !strings.HasPrefix(err.Error(), "-state "+dir+": ") || !strings.Contains(err.Error(), "is a file: want a directory") {
			t.Errorf("got %v, want that a directory is wanted", err)
		}
	}
}

// The snapshot files that are not those of a peer say what is wrong, and none is read.
func TestNoSnapshotOfAPeer(t *testing.T) {
	dir := t.TempDir()
	whole := (&Snapshot{Bytes: []byte("state"), Begun: true, Values: []uint64{3, 5}}).head()
	for text, want := range map[string]string{
		"":                           "it does not begin like the snapshot of a peer",
		"PK\x03\x04":                 "it does not begin like the snapshot of a peer",
		"begun":                      "it does not begin like the snapshot of a peer",
		"began 00000000\nx":          "it does not begin like the snapshot of a peer",
		"begun 00000000 seven\nx":    `"seven" is no name of a value`,
		"begun 00000000 -1\nx":       `"-1" is no name of a value`,
		"waiting 00000000\nx":        "its checksum is not 00000000",
		string(whole) + "another":    "its checksum is not ",
		string(whole[:len(whole)-2]): `"" is no name of a value`, // it was cut in its first line
	} {
		if err := os.WriteFile(dir+"/"+SnapshotFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if x, err := Read(disk.OS, dir, SnapshotFile); x != nil || !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%q: got %+v, %v, want %s", text, x, err, want)
		}
	}
}

// JSON of a wrong type is described in the words of JSON.
func TestJSONError(t *testing.T) {
	for text, want := range map[string]string{
		`{"list": 1}`:          "field list at byte 10: got number, want a list",
		`{"map": []}`:          "field map at byte 9: got array, want an object",
		`{"text": true}`:       "field text at byte 13: got bool, want a text",
		`{"yes": "no"}`:        "field yes at byte 12: got string, want true or false",
		`{"number": "7"}`:      "field number at byte 14: got string, want a number",
		`{"inner": {"n": []}}`: "field inner.n at byte 17: got array, want a number",
		`[]`:                   "at byte 1: got array, want an object",
		`{`:                    "unexpected end of JSON input",
	} {
		var x struct {
			List   []int          `json:"list"`
			Map    map[string]int `json:"map"`
			Text   string         `json:"text"`
			Yes    bool           `json:"yes"`
			Number int            `json:"number"`
			Inner  struct {
				N int `json:"n"`
			} `json:"inner"`
		}
		if err := JSONError(json.Unmarshal([]byte(text), &x)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
