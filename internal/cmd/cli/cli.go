// Package cli holds what the verbs of the command line share: how they fail,
// and how they show progress.
package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// UsageError is a mistake on the command line; bbgen exits with 2.
type UsageError struct{ error }

// Unwrap is the mistake.
func (u UsageError) Unwrap() error { return u.error }

// Usagef makes a [UsageError].
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Args makes the mistakes that check finds usage errors.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return UsageError{err}
		}
		return nil
	}
}

// Failed is a failure that has been reported already; bbgen exits with 1.
type Failed struct{}

// Error is for whoever prints it all the same.
func (Failed) Error() string { return "failed" }
