// Package remote implements bbgen remote, which offers this machine's kernels to other machines.
package remote

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// Command returns the command bbgen remote.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remote",
		Short: "offer this machine's kernels to programs elsewhere",
		Long: `Remote makes this machine a device for Go programs on others, which use package
bbgen/remote: they have tensors here, execute operators, and run ONNX models that they
have sent. Channels are encrypted, both ends prove their keys, and only clients that have
an invitation, or that --allow names, may come.`,
		Example: `  bbgen remote serve --listen 0.0.0.0:7070
  bbgen remote invite                        # for one client, to be handed over like a password`,
	}
	cmd.AddCommand(serveCommand(), inviteCommand())
	return cmd
}

// stateUsage is the help text of both subcommands for the directory.
const stateUsage = "keep the key, clients and invitations in this `directory` (default: bbgen/remote in the user's folder for settings)"

// stateDir returns the directory given by a flag, or the default.
func stateDir(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no place for the server's key: say --state: %w", err)
	}
	return filepath.Join(dir, "bbgen", "remote"), nil
}
