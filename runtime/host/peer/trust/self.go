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

// Self is what a peer records about itself: its rank and data folder for the next start, and the data that the
// command invite needs while the peer runs.
type Self struct {
	Member
	Configured []Ranked `json:"configured,omitempty"` // peers from the configuration
	Data       string   `json:"data,omitempty"`       // the folder of -data
}

// Ranked is a class and a rank in it.
type Ranked struct {
	Class string `json:"class"`
	Rank  int    `json:"rank"`
}

// WriteSelf replaces the record of a peer in its state directory, with a checksum. Only the owner can read the file.
func WriteSelf(d disk.FS, dir string, s *Self) error {
	b, err := state.Seal(s)
	if err != nil {
		return err
	}
	return disk.Write(d, filepath.Join(dir, state.SelfFile), 0o600, b)
}

// ReadSelf returns the record that [WriteSelf] has written to a state directory. The error is [fs.ErrNotExist] if there is
// none, and names the file if the record is damaged. [Kept] also checks that the record is this peer's.
func ReadSelf(d disk.FS, dir string) (*Self, error) {
	file := filepath.Join(dir, state.SelfFile)
	b, err := d.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var s Self
	return &s, state.Unseal(file, b, &s)
}

// Kept returns the record of the peer's last run with its state directory; it is empty for a new directory.
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
		return &Self{}, nil // of another peer: the key or the class has changed
	}
	return s, nil
}
