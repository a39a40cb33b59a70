// Package cmdtest runs commands of bbgen in the process of a test. Scripts in cmd/bbgen test the whole binary; tests
// with this package are much faster, and count for the coverage of the command's package.
package cmdtest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
)

// Run executes a command with the given arguments. It returns what the command has printed to its standard output and
// to its standard error, and its error.
func Run(t testing.TB, cmd *cobra.Command, args ...string) (out, messages string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.SetArgs(append([]string{}, args...)) // never nil, for which cobra takes the arguments of the test's binary
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

// A Refusal is a command line, and a part of the error that it must end with.
type Refusal struct {
	Args []string
	Want string
	// Usage is set if the mistake is on the command line, for which bbgen exits with 2.
	Usage bool
}

// Refuse executes a new command for each of the command lines, and compares the errors.
func Refuse(t testing.TB, command func() *cobra.Command, list ...Refusal) {
	t.Helper()
	for _, r := range list {
		_, _, err := Run(t, command(), r.Args...)
		if err == nil || !strings.Contains(err.Error(), r.Want) {
			t.Errorf("%q: the error is %v, want %q in it", r.Args, err, r.Want)
			continue
		}
		if usage := errors.As(err, new(cli.UsageError)); usage != r.Usage {
			t.Errorf("%q: %v is a mistake of usage: %v, want %v", r.Args, err, usage, r.Usage)
		}
	}
}

// Model writes the ONNX file of a graph, which is given in its text form, to the file name in a folder. It returns the
// path of the file.
func Model(t testing.TB, dir, name, text string) string {
	t.Helper()
	m, err := ir.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := onnx.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return File(t, dir, name, b)
}

// File writes a file into a folder, and returns its path.
func File[T ~string | ~[]byte](t testing.TB, dir, name string, content T) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
