//go:build !unix

package peer

import "errors"

// canExec reports whether a process can switch to another binary.
const canExec = false

func execute(string, []string) error { return errors.ErrUnsupported }
