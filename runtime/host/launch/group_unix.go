//go:build unix

package launch

import (
	"os/exec"
	"syscall"
)

// ownGroup protects a peer from a terminal's Ctrl-C: the launcher decides when it ends. If the launcher dies,
// the peer ends with the next line that it writes.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
