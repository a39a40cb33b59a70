//go:build !unix

package launch

import "os/exec"

// ownGroup does nothing on this system.
func ownGroup(*exec.Cmd) {}
