package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Self is what a peer writes down of itself: the next start has its rank and its data
// from there, and the command invite all that it must know of a peer that runs.
type Self struct {
	Member
	Configured []Ranked `json:"configured,omitempty"` // peers that stand in the configuration alone
	Data       string   `json:"data,omitempty"`       // the folder that -data named
}

// Ranked is a place among the peers of a class.
type Ranked struct {
	Class string `json:"class"`
	Rank  int    `json:"rank"`
}

func WriteSelf(d disk.FS, dir string, s *Self) error {
	b, err := state.Seal(s)
	if err != nil {
		return err
	}
	return disk.Write(d, filepath.Join(dir, state.SelfFile), 0o600, b)
}

func ReadSelf(d disk.FS, dir string) (*Self, error) {
	file := filepath.Join(dir, state.SelfFile)
	b, err := d.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var s Self
	return &s, state.Unseal(file, b, &s)
}

// Kept is what a peer wrote down of itself when it ran last on its state directory;
// nothing if it is new there.
func Kept(d disk.FS, dir string, id wire.PeerID, class string) (*Self, error) {
	if dir == "" {
		return &Self{}, nil
	}
	s, err := ReadSelf(d, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Self{}, nil
	case err != nil:
		return nil, fmt.Errorf("%w: say with -rank which of its class the peer is, and with -data where its data are, and it is written anew", err)
	case s.ID != id || s.Class != class:
		return &Self{}, nil // another peer's: it has another key, or is of another class, now
	}
	return s, nil
}
