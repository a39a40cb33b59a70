package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bbgen/bbgen/runtime/host/suggest"
)

// OneDash returns the usage error for a long flag with one dash, such as -output x, which would be read as -o utput.
// It also returns the command that args call.
func OneDash(root *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return root, nil // it is reported when the command runs
	}
	for _, arg := range rest {
		if arg == "--" {
			break
		}
		name, one := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if one && len(name) > 1 && cmd.Flags().Lookup(name) != nil {
			return cmd, Usagef("there is no flag -%s; did you mean --%s?", name, name)
		}
	}
	return cmd, nil
}

// FlagError returns the usage error for invalid flags. For an unknown flag, it suggests a similar one, such as
// --data for -data: flags of generated binaries have one dash.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return Usagef("%w", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	letters := unknown.GetSpecifiedShortnames()
	if unknown.GetSpecifiedName() == "version" {
		return Usagef("there is no flag --version: \"bbgen version\" prints it")
	}
	if letters == "" {
		return UsageError{suggest.Unknown(unknown.GetSpecifiedName(), "--", names)}
	}
	if name, _, _ := strings.Cut(letters, "="); slices.Contains(names, name) {
		return Usagef("there is no flag -%s; did you mean --%s?", name, name)
	}
	return UsageError{suggest.Unknown(letters, "-", nil)}
}
