// Package gobuild runs go build: for the tools that compile what bbgen has written, and for examples that
// build their peers. A peer has no use for it, so it is no part of the runtime.
package gobuild

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// A Build is one run of go build, which makes static binaries without debug information.
type Build struct {
	Dir      string   // where the command runs; "" is the working directory
	Packages []string // import paths, or folders relative to Dir; none is Dir itself
	Out      string   // the binary; of several packages the folder, whose name ends with a separator
	NoID     bool     // leaves the build ID out: the same sources, Go version and environment give the same bytes
	Env      []string // in addition to the environment of this process
}

// Run builds. An error is a [*Error].
func (b Build) Run() error {
	ldflags := "-s -w"
	if b.NoID {
		ldflags += " -buildid="
	}
	packages := b.Packages
	if len(packages) == 0 {
		packages = []string{"."}
	}
	cmd := exec.Command("go", slices.Concat([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=" + ldflags, "-o", b.Out}, packages)...)
	cmd.Dir = b.Dir
	cmd.Env = slices.Concat(os.Environ(), []string{"CGO_ENABLED=0"}, b.Env)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return &Error{Packages: b.Packages, Output: out.String(), Err: err}
	}
	return nil
}

// Error is a go build that failed.
type Error struct {
	Packages []string // as in [Build]
	Output   string   // of the compiler
	Err      error    // of the command
}

// Error returns the compiler's output.
func (e *Error) Error() string {
	command := strings.Join(append([]string{"go build"}, e.Packages...), " ")
	return fmt.Sprintf("%s: %v%s", command, e.Err, Detail(e.Err, e.Output))
}

// Detail returns what follows the error of a go command that failed: its output, or what to do if there is no such command.
func Detail(err error, output string) string {
	if errors.Is(err, exec.ErrNotFound) {
		return ": install Go 1.26 or later from https://go.dev/dl, and put it on your PATH"
	}
	return "\n" + strings.TrimSpace(output)
}

// Unwrap returns the error of the command.
func (e *Error) Unwrap() error { return e.Err }
