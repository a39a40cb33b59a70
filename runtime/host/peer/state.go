package peer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/host/lockfile"
)

// stateDir is where a peer keeps what must survive it: its key, the peers that
// it has admitted, invitations, the snapshot that the next start goes on from,
// and the large values that it names, see [spool]. Only its owner can read it.
type stateDir struct {
	dir  string
	lock *os.File
}

const (
	keyFile      = "key.pem"
	selfFile     = "self.json"
	membersFile  = "peers.json"
	invitesDir   = "invites"
	snapshotFile = "snapshot"
)

// makeStateDir makes the directory if it is not there.
func makeStateDir(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, invitesDir), 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// openState opens a state directory for the one process that may run on it.
func openState(dir string) (*stateDir, error) {
	if err := makeStateDir(dir); err != nil {
		return nil, err
	}
	f, err := lockfile.Take(dir)
	if err != nil {
		return nil, err
	}
	return &stateDir{dir, f}, nil
}

func (s *stateDir) close() error { return s.lock.Close() }

// The first line of a snapshot file says whether the program had begun.
var (
	stateBegun   = []byte("begun\n")
	stateWaiting = []byte("waiting\n")
)

// save keeps a snapshot in place of the last one.
func (s *stateDir) save(snapshot []byte, begun bool) error {
	head := stateWaiting
	if begun {
		head = stateBegun
	}
	return writeFile(filepath.Join(s.dir, snapshotFile), head, snapshot)
}

// load returns the snapshot kept last; nil if there is none.
func (s *stateDir) load() (snapshot []byte, begun bool, err error) {
	file := filepath.Join(s.dir, snapshotFile)
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if rest, ok := bytes.CutPrefix(b, stateBegun); ok {
		return rest, true, nil
	}
	if rest, ok := bytes.CutPrefix(b, stateWaiting); ok {
		return rest, false, nil
	}
	return nil, false, fmt.Errorf("%s: not a snapshot of a peer", file)
}

// writeFile puts a file in place of another one at once: after a crash there is
// the old one or the new one, whole.
func writeFile(file string, parts ...[]byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*") // mode 0600
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err == nil {
			_, err = f.Write(p)
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return syncDir(filepath.Dir(file))
}
