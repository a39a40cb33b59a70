package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/lockfile"
)

// Dir is where a peer keeps what must survive it: its key, the peers that
// it has admitted, invitations, the snapshot that the next start goes on from and
// the one before, and the large values that they name. Only its owner
// can read it.
type Dir struct {
	dir  string
	disk disk.FS
	lock *os.File
}

// What stands in a state directory.

const (
	KeyFile      = "key.pem"
	SelfFile     = "self.json"
	MembersFile  = "peers.json"
	InvitesDir   = "invites"
	ValuesDir    = "values"
	SnapshotFile = "snapshot"
	PreviousFile = "snapshot.previous"
	DamagedFile  = "snapshot.damaged"
)

// Make makes a state directory if it is not there.
func Make(d disk.FS, dir string) error {
	err := d.MkdirAll(filepath.Join(dir, InvitesDir), 0o700)
	if err == nil {
		err = ownersAlone(dir)
	}
	return unwritable(dir, err)
}

// ownersAlone has nobody but its owner read a directory.
func ownersAlone(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() == 0o700 {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// unwritable says what can be done about a directory that cannot be written.
func unwritable(dir string, err error) error {
	if disk.IsReadOnly(err) || errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("-state %s: nothing can be written there: %w: mount it for writing, give the directory to the user that the peer runs as, or choose another one", dir, err)
	}
	return err
}

// Open opens a state directory for the one process that may run on it.
func Open(d disk.FS, dir string) (*Dir, error) {
	if err := Make(d, dir); err != nil {
		return nil, err
	}
	f, err := lockfile.Take(dir)
	if err != nil {
		return nil, unwritable(dir, err)
	}
	disk.Clean(d, dir)
	return &Dir{dir, d, f}, nil
}

// Close lets another process have the directory.
func (s *Dir) Close() error { return s.lock.Close() }

// Values is the folder of large values.
func (s *Dir) Values() string { return s.Path(ValuesDir) }

// Path is the file of a name.
func (s *Dir) Path(name string) string { return filepath.Join(s.dir, name) }
