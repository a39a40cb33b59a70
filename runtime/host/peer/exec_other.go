//go:build !unix

package peer

import "errors"

// canExec says that a process can become another binary.
const canExec = false

func execute(string, []string) error { return errors.ErrUnsupported }
