// Package version implements bbgen version, which prints the version of bbgen.
package version

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime"
)

// Command returns the command bbgen version.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version, Go's version, and that of generated code",
		Args:  cli.None(),
		RunE: func(cmd *cobra.Command, args []string) error {
			version, goVersion := "(devel)", "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				goVersion = info.GoVersion
				if v := info.Main.Version; v != "" {
					version = v
				}
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "bbgen %s %s GenVersion %d\n", version, goVersion, runtime.GenVersion)
			return err
		},
	}
}
