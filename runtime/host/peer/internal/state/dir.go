package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/lockfile"
)

// Dir is the directory of a peer's durable state: its key, the admitted peers, invitations, the last snapshot
// and the previous one, and the large values that they name. Only its owner can read it.
type Dir struct {
	dir  string
	disk disk.FS
	lock *os.File
}

// The names of files in a state directory.

const (
	KeyFile      = "key.pem"
	SelfFile     = "self.json"
	MembersFile  = "peers.json"
	InvitesDir   = "invites"
	ValuesDir    = "values"
	SnapshotFile = "snapshot"
	PreviousFile = "snapshot.previous"
	DamagedFile  = "snapshot.damaged"

	OrderFile       = "upgrade.json"
	PredecessorFile = "upgrade.accept.json"
)

// Make makes a state directory if it does not exist.
func Make(d disk.FS, dir string) error {
	err := d.MkdirAll(filepath.Join(dir, InvitesDir), 0o700)
	if err == nil {
		err = ownersAlone(dir)
	}
	return unwritable(dir, err)
}

// ownersAlone makes a directory accessible only to its owner.
func ownersAlone(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() == 0o700 {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// unwritable adds advice to the error for a directory that cannot be made or written.
func unwritable(dir string, err error) error {
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("-state %s: %w: it, or a part of its path, is a file: want a directory, which is made if it is missing", dir, err)
	}
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

// Close releases the directory for other processes.
func (s *Dir) Close() error { return s.lock.Close() }

// Values returns the folder of large values.
func (s *Dir) Values() string { return s.Path(ValuesDir) }

// Path returns the path of a file in the directory.
func (s *Dir) Path(name string) string { return filepath.Join(s.dir, name) }
