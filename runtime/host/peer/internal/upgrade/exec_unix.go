//go:build unix

package upgrade

import (
	"os"
	"syscall"
)

// CanExec reports whether a process can switch to another binary.
const CanExec = true

// execute replaces the process by another binary, with the same environment and standard streams.
func execute(file string, args []string) error { return syscall.Exec(file, args, os.Environ()) }
