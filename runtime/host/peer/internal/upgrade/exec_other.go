//go:build !unix

package upgrade

import "errors"

// CanExec reports whether a process can switch to another binary.
const CanExec = false

func execute(string, []string) error { return errors.ErrUnsupported }
