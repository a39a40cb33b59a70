package peer

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/wire"
)

// self is what a peer writes down of itself: the next start has its rank and its data
// from there, and the command invite all that it must know of a peer that runs.
type self struct {
	Member
	Configured []ranked `json:"configured,omitempty"` // peers that stand in the configuration alone
	Data       string   `json:"data,omitempty"`       // the folder that -data named
}

// ranked is a place among the peers of a class.
type ranked struct {
	Class string `json:"class"`
	Rank  int    `json:"rank"`
}

func writeSelf(d disk.FS, dir string, s *self) error {
	b, err := state.Seal(s)
	if err != nil {
		return err
	}
	return disk.Write(d, filepath.Join(dir, state.SelfFile), 0o600, b)
}

func readSelf(d disk.FS, dir string) (*self, error) {
	file := filepath.Join(dir, state.SelfFile)
	b, err := d.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var s self
	return &s, state.Unseal(file, b, &s)
}

// kept is what a peer wrote down of itself when it ran last on its state directory;
// nothing if it is new there.
func kept(d disk.FS, dir string, id wire.PeerID, class string) (*self, error) {
	if dir == "" {
		return &self{}, nil
	}
	s, err := readSelf(d, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &self{}, nil
	case err != nil:
		return nil, fmt.Errorf("%w: say with -rank which of its class the peer is, and with -data where its data are, and it is written anew", err)
	case s.ID != id || s.Class != class:
		return &self{}, nil // another peer's: it has another key, or is of another class, now
	}
	return s, nil
}
