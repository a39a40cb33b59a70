package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// inviting are the flags of bbgen remote invite.
type inviting struct {
	state     string
	addresses []string
	valid     time.Duration
}

func inviteCommand() *cobra.Command {
	f := new(inviting)
	cmd := &cobra.Command{
		Use:   "invite",
		Short: "print an invitation for one client",
		Long: `Invite prints an invitation to the server of a state directory, which may be running. It
says where the server is, so a client sets BBGEN_REMOTE_ADDRESS to it and needs nothing
else. It holds a secret that lets one client in, for good: hand it over like a password.`,
		Example: `  export BBGEN_REMOTE_ADDRESS=$(bbgen remote invite)
  bbgen remote invite --valid 1h --address 192.0.2.1:7070   # where clients elsewhere can reach it`,
		Args: cli.None(),
	}
	cmd.Flags().StringVar(&f.state, "state", "", stateUsage)
	cmd.Flags().StringSliceVar(&f.addresses, "address", nil, "the `address` at which clients can reach the server; several times (default: where it listens)")
	cmd.Flags().DurationVar(&f.valid, "valid", 24*time.Hour, "how long the invitation can be used, a `time`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		dir, err := stateDir(f.state)
		if err != nil {
			return err
		}
		token, err := peer.Invite(filepath.Clean(dir), "client", f.valid, f.addresses)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("no server has run with the state directory %s yet: start bbgen remote serve, or name its directory with --state", dir)
		}
		if err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), token)
		}
		return err
	}
	return cmd
}
