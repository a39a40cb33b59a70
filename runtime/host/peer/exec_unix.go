//go:build unix

package peer

import (
	"os"
	"syscall"
)

// canExec says that a process can become another binary.
const canExec = true

// execute has the process become another binary, with its environment and its standard streams.
func execute(file string, args []string) error { return syscall.Exec(file, args, os.Environ()) }
