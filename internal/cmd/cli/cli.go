// Package cli holds what the verbs of the command line share: how they fail,
// and how they show progress.
package cli

import "fmt"

// UsageError is a mistake on the command line; bbgen exits with 2.
type UsageError struct{ error }

// Unwrap returns the mistake.
func (u UsageError) Unwrap() error { return u.error }

// Usagef makes a [UsageError].
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Failed is a failure that has been reported already; bbgen exits with 1.
type Failed struct{}

// Error is for whoever prints it all the same.
func (Failed) Error() string { return "failed" }
