//go:build unix

package peer

import (
	"os"
	"syscall"
)

// canExec reports whether a process can switch to another binary.
const canExec = true

// execute replaces the process by another binary, with the same environment and standard streams.
func execute(file string, args []string) error { return syscall.Exec(file, args, os.Environ()) }
