// Package lockfile lets one process at a time have a folder to itself: whoever
// writes there locks a file in it. A lock ends with its process, however that ends,
// so a file that is left over means nothing.
package lockfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Name is what the file in the folder is called.
const Name = "lock"

// ErrInUse is what [Take] says when another process has the folder.
var ErrInUse = errors.New("in use by another process")

// Take locks a folder that is there; closing the file gives it back. On a file
// system without locks nobody is kept out.
func Take(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, Name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		f.Close()
		return nil, fmt.Errorf("%s is %w: %w", dir, ErrInUse, err)
	}
	return f, nil
}

// Await is [Take] that waits for others to give the folder back.
func Await(dir string, timeout time.Duration) (*os.File, error) {
	for end := time.Now().Add(timeout); ; time.Sleep(awaitStep) {
		f, err := Take(dir)
		if !errors.Is(err, ErrInUse) || time.Now().After(end) {
			return f, err
		}
	}
}

// awaitStep is how often Await looks.
const awaitStep = 5 * time.Millisecond
