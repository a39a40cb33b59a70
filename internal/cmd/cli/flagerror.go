package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bbgen/bbgen/runtime/host/suggest"
)

// FlagError returns the usage error for invalid flags. For an unknown flag, it suggests a similar one.
func FlagError(cmd *cobra.Command, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return Usagef("%w", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return UsageError{suggest.Unknown(name, "--", names)}
}
