package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Args converts errors of check to usage errors.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return UsageError{err}
		}
		return nil
	}
}

// One requires one argument, called name. The parameter what describes it.
func One(name, what string) cobra.PositionalArgs {
	return Args(func(_ *cobra.Command, args []string) error {
		if len(args) == 1 && args[0] != "" {
			return nil
		}
		text := fmt.Sprintf("want one %s, %s: ", name, what)
		if len(args) == 0 {
			return errors.New(text + "there is none")
		}
		if len(args) == 1 {
			return errors.New(text + `there is ""`)
		}
		return errors.New(text + "there are " + strings.Join(args, ", "))
	})
}

// AtMostOne permits one argument, called name. The parameter what describes it.
func AtMostOne(name, what string) cobra.PositionalArgs {
	return Args(func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("want one %s, %s: there are %s", name, what, strings.Join(args, ", "))
		}
		return nil
	})
}

// None permits no arguments.
func None() cobra.PositionalArgs {
	return Args(func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("unexpected argument %q", args[0])
		}
		return nil
	})
}

// Misspelled returns the usage error for a first argument that is neither a command nor a file, but similar to a
// command. Otherwise it would be read as a file, and its flags as those of another command.
func Misspelled(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil
	}
	cmd, _, err := root.Find(args)
	if err != nil || cmd != root {
		return nil
	}
	verbs := root.SuggestionsFor(args[0])
	if len(verbs) == 0 {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		return nil
	}
	return Usagef("there is neither a command nor a file %q; did you mean %q?", args[0], verbs[0])
}
