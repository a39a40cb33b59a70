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

// Misspelled returns the usage error for a first argument that is neither a command nor a file, but a single word.
// Otherwise it would be read as a file, and its flags as those of another command.
func Misspelled(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	switch args[0] {
	case "help":
		return unknownTopic(root, args[1:])
	case "completion":
		return unknownShell(root, args)
	}
	cmd, _, err := root.Find(args)
	if err != nil || cmd != root {
		return nil
	}
	verbs := root.SuggestionsFor(args[0])
	asks := strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) // a shell, for completions
	if asks || len(verbs) == 0 && strings.ContainsAny(args[0], `./\`) {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil || args[0] == "" {
		return nil
	}
	if len(verbs) == 0 {
		return Usagef("there is neither a command nor a file %q; %q lists the commands", args[0], root.Name()+" -h")
	}
	return Usagef("there is neither a command nor a file %q; did you mean %q?", args[0], verbs[0])
}

// unknownTopic returns the usage error for a command that "help" does not know. The help of all commands would be shown
// instead.
func unknownTopic(root *cobra.Command, args []string) error {
	_, rest, err := root.Find(args)
	if err == nil && len(rest) == 0 || len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		return nil
	}
	return Usagef("there is no command %q; %q lists the commands", strings.Join(args, " "), root.Name()+" -h")
}

// unknownShell returns the usage error for a shell that "completion" does not know. Its help would be shown instead, as if
// all were well.
func unknownShell(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	if err != nil || cmd.Name() != "completion" || len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return nil
	}
	var shells []string
	for _, sub := range cmd.Commands() {
		shells = append(shells, sub.Name())
	}
	return Usagef("there are no completions for %q, want one of %s", rest[0], strings.Join(shells, ", "))
}
