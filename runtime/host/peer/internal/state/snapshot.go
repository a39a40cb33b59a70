package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Snapshot is a snapshot in its stored form.
type Snapshot struct {
	Bytes  []byte
	Begun  bool     // the program had
	Values []uint64 // the names of its large values
}

// The first word of a snapshot file says whether the program had begun.
const (
	wordBegun   = "begun"
	wordWaiting = "waiting"
)

// head returns the first line of the file: the state, a checksum of all the rest, and the names of values.
func (x *Snapshot) head() []byte {
	state := wordWaiting
	if x.Begun {
		state = wordBegun
	}
	rest := x.rest()
	return fmt.Appendf(nil, "%s %08x%s\n", state, wire.AddCRC(wire.CRC([]byte(state+rest)), x.Bytes), rest)
}

// rest returns the part of the first line after the checksum.
func (x *Snapshot) rest() string {
	var b []byte
	for _, v := range x.Values {
		b = strconv.AppendUint(append(b, ' '), v, 10)
	}
	return string(b)
}

// Save stores a snapshot in place of the last one, which becomes the previous one.
func (s *Dir) Save(x *Snapshot) error {
	file := s.Path(SnapshotFile)
	temp, err := disk.Prepare(s.disk, file, 0o600, x.head(), x.Bytes)
	if err != nil {
		return err
	}
	s.DropPrevious()
	s.disk.Link(file, s.Path(PreviousFile)) // without links there is no second copy
	return disk.Commit(s.disk, temp, file)
}

// DropPrevious removes the previous snapshot.
func (s *Dir) DropPrevious() { s.disk.Remove(s.Path(PreviousFile)) }

// Read returns a stored snapshot, or nil if there is none.
func (s *Dir) Read(name string) (*Snapshot, error) { return Read(s.disk, s.dir, name) }

// Read is Dir.Read for a directory that is not open.
func Read(on disk.FS, dir, name string) (*Snapshot, error) {
	file := filepath.Join(dir, name)
	b, err := on.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	x, err := parseSaved(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return x, nil
}

// ValuesBefore returns the values that the previous snapshot names.
func (s *Dir) ValuesBefore() []uint64 {
	x, err := s.Read(PreviousFile)
	if err != nil || x == nil {
		return nil
	}
	return x.Values
}

func parseSaved(b []byte) (*Snapshot, error) {
	line, snapshot, _ := bytes.Cut(b, []byte("\n"))
	words := strings.Split(string(line), " ")
	x := &Snapshot{Bytes: snapshot, Begun: words[0] == wordBegun}
	if len(words) < 2 || !x.Begun && words[0] != wordWaiting {
		return nil, fmt.Errorf("%w: it does not begin like the snapshot of a peer", ErrDamaged)
	}
	for _, w := range words[2:] {
		v, err := strconv.ParseUint(w, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: %q is no name of a value", ErrDamaged, w)
		}
		x.Values = append(x.Values, v)
	}
	if !bytes.HasPrefix(b, x.head()) {
		return nil, fmt.Errorf("%w: its checksum is not %s", ErrDamaged, words[1])
	}
	return x, nil
}

// FallBack replaces the last snapshot by the previous one. The last one is kept under another name for
// examination.
func (s *Dir) FallBack() error {
	s.disk.Remove(s.Path(DamagedFile))
	s.disk.Link(s.Path(SnapshotFile), s.Path(DamagedFile))
	if err := s.disk.Rename(s.Path(PreviousFile), s.Path(SnapshotFile)); err != nil {
		return err
	}
	return s.disk.SyncDir(s.dir)
}
