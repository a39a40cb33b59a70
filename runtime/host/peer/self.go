package peer

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/wire"
)

// self is what a peer writes down of itself: the next start has its rank from there,
// and the command invite all that it must know of a peer that runs.
type self struct {
	Member
	Configured []ranked `json:"configured,omitempty"` // peers that stand in the configuration alone
}

// ranked is a place among the peers of a class.
type ranked struct {
	Class string `json:"class"`
	Rank  int    `json:"rank"`
}

func writeSelf(d disk.FS, dir string, s *self) error {
	b, err := seal(s)
	if err != nil {
		return err
	}
	return disk.Write(d, filepath.Join(dir, selfFile), 0o600, b)
}

func readSelf(d disk.FS, dir string) (*self, error) {
	file := filepath.Join(dir, selfFile)
	b, err := d.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var s self
	return &s, unseal(file, b, &s)
}

// keptRank is the rank that a peer had when it ran last on its state directory; 0 if
// it is new there.
func keptRank(d disk.FS, dir string, id wire.PeerID, class string) (int, error) {
	if dir == "" {
		return 0, nil
	}
	s, err := readSelf(d, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("%w: say with -rank which of its class the peer is, and it is written anew", err)
	case s.ID != id || s.Class != class:
		return 0, nil // another peer's: it has another key, or is of another class, now
	}
	return s.Rank, nil
}
