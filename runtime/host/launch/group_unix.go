//go:build unix

package launch

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a terminal's Ctrl-C from a peer: who launches it says when it
// ends. Should the launcher die, the peer ends at the next line that it writes.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
