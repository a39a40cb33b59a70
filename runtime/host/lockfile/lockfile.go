// Package lockfile gives one process at a time exclusive use of a folder, by a lock on a file in it. A lock
// ends with its process, however that ends, so a leftover file has no effect.
package lockfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Name is the name of the file in the folder.
const Name = "lock"

// ErrInUse is returned by [Take] if another process uses the folder.
var ErrInUse = errors.New("in use by another process")

// Take locks an existing folder; close the file to unlock it. On a file system without locks it locks nothing.
func Take(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, Name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		f.Close()
		if !isHeld(err) {
			return nil, fmt.Errorf("%s is %w: %w", dir, ErrInUse, err)
		}
		return nil, fmt.Errorf("%s is %w", dir, ErrInUse)
	}
	return f, nil
}

// Await is Take, but waits for other processes to unlock the folder.
func Await(dir string, timeout time.Duration) (*os.File, error) {
	for end := time.Now().Add(timeout); ; time.Sleep(awaitStep) {
		f, err := Take(dir)
		if !errors.Is(err, ErrInUse) || time.Now().After(end) {
			return f, err
		}
	}
}

// awaitStep is how often Await tries.
const awaitStep = 5 * time.Millisecond
