package peer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/lockfile"
)

// stateDir is where a peer keeps what must survive it: its key, the peers that
// it has admitted, invitations, the snapshot that the next start goes on from and
// the one before, and the large values that they name, see [spool]. Only its owner
// can read it.
type stateDir struct {
	dir  string
	disk disk.FS
	lock *os.File
}

const (
	keyFile      = "key.pem"
	selfFile     = "self.json"
	membersFile  = "peers.json"
	invitesDir   = "invites"
	snapshotFile = "snapshot"
	previousFile = "snapshot.previous"
	damagedFile  = "snapshot.damaged"
)

// makeStateDir makes the directory if it is not there.
func makeStateDir(d disk.FS, dir string) error {
	err := d.MkdirAll(filepath.Join(dir, invitesDir), 0o700)
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

// openState opens a state directory for the one process that may run on it.
func openState(d disk.FS, dir string) (*stateDir, error) {
	if err := makeStateDir(d, dir); err != nil {
		return nil, err
	}
	f, err := lockfile.Take(dir)
	if err != nil {
		return nil, unwritable(dir, err)
	}
	disk.Clean(d, dir)
	return &stateDir{dir, d, f}, nil
}

func (s *stateDir) close() error { return s.lock.Close() }

func (s *stateDir) path(name string) string { return filepath.Join(s.dir, name) }
