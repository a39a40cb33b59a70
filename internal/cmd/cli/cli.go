// Package cli contains the common parts of the commands: errors, flags and progress.
package cli

import "fmt"

// UsageError is an error on the command line; bbgen exits with 2.
type UsageError struct{ error }

// Unwrap returns the wrapped error.
func (u UsageError) Unwrap() error { return u.error }

// Usagef returns a [UsageError].
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Failed is an error that has been reported already; bbgen exits with its code, or with 1 if that is 0.
type Failed struct{ Code int }

// Error returns a short text, in case it is printed anyway.
func (Failed) Error() string { return "failed" }
