// Package man implements bbgen man, which writes manual pages of the commands.
package man

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/disk"
)

// Command returns the command bbgen man.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "write manual pages of all commands",
		Long: `Man writes a manual page of each command into the folder DIR, which is made if it does
not exist: bbgen.1, bbgen-train.1 and so on. A folder man1 in a folder of MANPATH is
where man finds them.`,
		Example: `  bbgen man ~/.local/share/man/man1 && man bbgen-train`,
		Args:    cli.One("DIR", "the folder of the pages"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := disk.OS.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			n, err := write(disk.OS, args[0], cmd.Root())
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "wrote %d pages to %s\n", n, args[0])
			}
			return err
		},
	}
}

// write writes the pages of a command and of those below it, and returns their number. If the disk is full, a page stays as
// it was.
func write(d disk.FS, dir string, cmd *cobra.Command) (int, error) {
	cmd.InitDefaultHelpFlag()
	if err := disk.Write(d, filepath.Join(dir, name(cmd)+".1"), 0o666, page(cmd)); err != nil {
		return 0, err
	}
	n := 1
	for _, sub := range below(cmd) {
		more, err := write(d, dir, sub)
		if n += more; err != nil {
			return n, err
		}
	}
	return n, nil
}

// below returns the commands below another one that have pages.
func below(cmd *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			out = append(out, sub)
		}
	}
	return out
}

// name returns the name of a command's page, as in bbgen-remote-serve.
func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }
