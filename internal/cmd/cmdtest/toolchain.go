package cmdtest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// logKey is the environment variable with the file that lists the calls of the go command. Programs that the go command
// has built run only in tests that set it.
const logKey = "BBGEN_TEST_GO_LOG"

// failKey is the environment variable with what the go command prints before it fails, if it is to fail.
const failKey = "BBGEN_TEST_GO_FAIL"

// Main is the TestMain of a package whose command runs the go command. In tests that call [Toolchain], the test's binary
// is that command. Its "go build" writes links to itself, and a program that is built in this way calls program with its
// arguments and exits with the result. Nothing is compiled, which would take seconds for each test.
func Main(m *testing.M, program func(name string, args []string) int) {
	if os.Getenv(logKey) == "" {
		os.Exit(m.Run())
	}
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); name != "go" {
		os.Exit(program(os.Args[0], os.Args[1:]))
	}
	os.Exit(goCommand(os.Args[1:]))
}

// goCommand is the go command of these tests.
func goCommand(args []string) int {
	log, err := os.OpenFile(os.Getenv(logKey), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = io.WriteString(log, strings.Join(args, " ")+"\n")
	}
	if text := os.Getenv(failKey); text != "" {
		os.Stderr.WriteString(text + "\n")
		return 1
	}
	if i := slices.Index(args, "-o"); err == nil && i >= 0 {
		err = writePrograms(args[i+1], args[i+2:])
	}
	if err == nil && len(args) > 1 && args[0] == "mod" && args[1] == "tidy" {
		err = raiseGo("go.mod")
	}
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return 0
}

// raiseGo raises the version of Go of a module for 1.1, as if a module that it requires had a later one.
func raiseGo(mod string) error {
	b, err := os.ReadFile(mod)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(mod, bytes.Replace(b, []byte("\ngo 1.1\n"), []byte("\ngo 1.26\n"), 1), 0o666)
}

// writePrograms writes what a build makes: one program to a file, or several into a folder, whose name ends with a separator.
func writePrograms(to string, packages []string) error {
	self, err := os.Executable()
	if err != nil || !os.IsPathSeparator(to[len(to)-1]) {
		return errors.Join(err, clone(self, to))
	}
	for _, p := range packages {
		if err := clone(self, to+path.Base(p)); err != nil {
			return err
		}
	}
	return nil
}

// clone makes the file from available under another name.
func clone(from, to string) error {
	if err := os.Link(from, to); err == nil {
		return nil
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o777)
}

// Toolchain makes the go command of a test the one that [Main] describes. With a text, each call of it prints the text
// and fails. The result returns the command lines of all calls up to then, without temporary folders.
func Toolchain(t *testing.T, failure string) (calls func() []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, name := t.TempDir(), "go"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := clone(self, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	log := File(t, dir, "log", "")
	t.Setenv(logKey, log)
	t.Setenv(failKey, failure)
	t.Setenv("PATH", dir)
	return func() []string {
		b, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	}
}
