//go:build !unix && !windows

package lockfile

import (
	"errors"
	"os"
)

// NB: without locks two processes may use one folder, and disturb each other.
func lock(*os.File) error { return errors.ErrUnsupported }
