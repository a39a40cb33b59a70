package cmdtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestMain makes this binary the go command and what that builds: a program that prints its name and arguments, and exits with 3.
func TestMain(m *testing.M) {
	Main(m, func(name string, args []string) int {
		fmt.Print(filepath.Base(name), args)
		return 3
	})
}

// TestToolchain: what the go command builds runs under its name, and all calls are listed.
func TestToolchain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is built has no .exe")
	}
	calls := Toolchain(t, "")
	dir := t.TempDir() + string(os.PathSeparator)
	for _, args := range [][]string{{"version"}, {"build", "-o", dir, "./x/a", "./b"}, {"build", "-o", dir + "c", "./d"}} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("go %q: %v, %s", args, err, out)
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		out, err := exec.Command(dir+name, "1", "2").CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 3 || string(out) != name+"[1 2]" {
			t.Errorf("%s prints %q, %v", name, out, err)
		}
	}
	want := []string{"version", "build -o " + dir + " ./x/a ./b", "build -o " + dir + "c ./d"}
	if got := calls(); !slices.Equal(got, want) {
		t.Errorf("the calls are %q, want %q", got, want)
	}
}

// TestFailingToolchain: each call fails with the text, is listed, and builds nothing.
func TestFailingToolchain(t *testing.T) {
	calls, file := Toolchain(t, "the disk is full"), filepath.Join(t.TempDir(), "a")
	out, err := exec.Command("go", "build", "-o", file, "./a").CombinedOutput()
	if err == nil || strings.TrimSpace(string(out)) != "the disk is full" {
		t.Errorf("go build prints %q, %v", out, err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the program is there: %v", err)
	}
	if got := calls(); len(got) != 1 {
		t.Errorf("the calls are %q", got)
	}
}

// TestTidy: the version of a module for Go 1.1 is raised, and nothing else is changed.
func TestTidy(t *testing.T) {
	Toolchain(t, "")
	t.Chdir(t.TempDir())
	if code := goCommand([]string{"mod", "tidy"}); code != 0 {
		t.Errorf("without a module: %d", code)
	}
	for text, want := range map[string]string{"module m\n\ngo 1.1\n": "module m\n\ngo 1.26\n", "module m\n\ngo 1.19\n": "module m\n\ngo 1.19\n"} {
		File(t, ".", "go.mod", text)
		if code := goCommand([]string{"mod", "tidy"}); code != 0 {
			t.Errorf("%q: %d", text, code)
		}
		if b, err := os.ReadFile("go.mod"); string(b) != want || err != nil {
			t.Errorf("%q is %q, %v", text, b, err)
		}
	}
	if code := goCommand([]string{"build", "-o", filepath.Join("absent", "a"), "./a"}); code != 1 {
		t.Errorf("a build into no folder: %d", code)
	}
}
