package cli

import (
	"errors"
	"fmt"
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
	return Args(func(cmd *cobra.Command, args []string) error {
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
		text += "there are " + strings.Join(args, ", ")
		if verbs := cmd.SuggestionsFor(args[0]); len(verbs) > 0 {
			text += fmt.Sprintf("; or did you mean the command %q?", verbs[0])
		}
		return errors.New(text)
	})
}
