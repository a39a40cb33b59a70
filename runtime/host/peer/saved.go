package peer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/wire"
)

// saved is a snapshot as it is kept.
type saved struct {
	snapshot []byte
	begun    bool     // the program had
	values   []uint64 // the names that it has for large values
}

// The first word of a snapshot file says whether the program had begun.
const (
	stateBegun   = "begun"
	stateWaiting = "waiting"
)

// head is the first line of the file: the state, a checksum of all the rest, and the
// names of values.
func (x *saved) head() []byte {
	state := stateWaiting
	if x.begun {
		state = stateBegun
	}
	rest := x.rest()
	return fmt.Appendf(nil, "%s %08x%s\n", state, wire.AddCRC(wire.CRC([]byte(state+rest)), x.snapshot), rest)
}

// rest is what stands in the first line behind the checksum.
func (x *saved) rest() string {
	var b []byte
	for _, v := range x.values {
		b = strconv.AppendUint(append(b, ' '), v, 10)
	}
	return string(b)
}

// save keeps a snapshot in place of the last one, which becomes the one before.
func (s *stateDir) save(x *saved) error {
	file := s.path(snapshotFile)
	temp, err := disk.Prepare(s.disk, file, 0o600, x.head(), x.snapshot)
	if err != nil {
		return err
	}
	s.dropPrevious()
	s.disk.Link(file, s.path(previousFile)) // where there are no links there is no second copy
	return disk.Commit(s.disk, temp, file)
}

// dropPrevious forgets the snapshot before the last.
func (s *stateDir) dropPrevious() { s.disk.Remove(s.path(previousFile)) }

// read returns a snapshot that is kept; nil if it is not there.
func (s *stateDir) read(name string) (*saved, error) {
	b, err := s.disk.ReadFile(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	x, err := parseSaved(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path(name), err)
	}
	return x, nil
}

func parseSaved(b []byte) (*saved, error) {
	line, snapshot, _ := bytes.Cut(b, []byte("\n"))
	words := strings.Split(string(line), " ")
	x := &saved{snapshot: snapshot, begun: words[0] == stateBegun}
	if len(words) < 2 || !x.begun && words[0] != stateWaiting {
		return nil, fmt.Errorf("%w: it does not begin like the snapshot of a peer", errDamaged)
	}
	for _, w := range words[2:] {
		v, err := strconv.ParseUint(w, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: %q is no name of a value", errDamaged, w)
		}
		x.values = append(x.values, v)
	}
	if !bytes.HasPrefix(b, x.head()) {
		return nil, fmt.Errorf("%w: its checksum is not %s", errDamaged, words[1])
	}
	return x, nil
}

// fallBack puts the snapshot before the last in the place of the last, which is kept
// beside it for who wants to know what has become of it.
func (s *stateDir) fallBack() error {
	s.disk.Remove(s.path(damagedFile))
	s.disk.Link(s.path(snapshotFile), s.path(damagedFile))
	if err := s.disk.Rename(s.path(previousFile), s.path(snapshotFile)); err != nil {
		return err
	}
	return s.disk.SyncDir(s.dir)
}
