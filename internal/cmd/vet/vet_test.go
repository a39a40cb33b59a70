package vet

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/ir"
)

// TestVet looks at a program in which a result is not used: its line is found in the source, and in the record only
// once more where the source does not show it.
func TestVet(t *testing.T) {
	dir := "./testdata/unread"
	for _, c := range []struct {
		args []string
		want []string // in lines
	}{
		{[]string{"--static", "testdata/unread"}, []string{"unread.go:10:2: the result of Input", "unread.go:11:2: the result of Neg"}}, // as other commands name it
		{[]string{"--static", dir}, []string{"unread.go:10:2: the result of Input", "unread.go:11:2: the result of Neg"}},
		{[]string{dir}, []string{"unread.go:10:2: the result of Input", "unread.go:11:2: the result of Neg", `input "forgotten" is not used`, "unread.go:17: the result of Add is not used"}},
	} {
		if len(c.args) == 1 && testing.Short() {
			continue // it builds a program
		}
		out, _, err := cmdtest.Run(t, Command(), c.args...)
		if !errors.As(err, new(cli.Failed)) {
			t.Errorf("%q: the error is %v, want that mistakes were found", c.args, err)
		}
		lines := slices.Collect(strings.Lines(out))
		if len(lines) != len(c.want) {
			t.Errorf("%q finds\n%swant %d lines", c.args, out, len(c.want))
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(filepath.ToSlash(lines[i]), want) {
				t.Errorf("%q: line %d is %q, want %q in it", c.args, i, lines[i], want)
			}
		}
	}
}

// TestVetLibrary: the slots of a package without a program are filled by others, and are no mistake.
func TestVetLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	if out, _, err := cmdtest.Run(t, Command(), "./testdata/library"); err != nil || out != "" {
		t.Errorf("it finds %q, %v", out, err)
	}
}

// TestVetRefuses shows what cannot be looked at.
func TestVetRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.File(t, ".", "go.mod", "module example.com/app\n\ngo 1.26\n")
	cmdtest.File(t, ".", "app.go", "package app\n\nfunc f() { undefined() }\n")
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: []string{"--static"}, Want: "app.go:3:12: undefined: undefined"},
		cmdtest.Refusal{Args: []string{"--static", "./empty/..."}, Want: `no Go package is found: "go list ./empty/..." says why`},
	)
}

// TestUnread finds the values without a reader in a record: inputs of modules, and results of nodes that only compute.
// Values that a branch or a result reads are used.
func TestUnread(t *testing.T) {
	m, err := ir.Parse("m.ir", `module "m"
opset 21

func @main(%x: float32[n]) -> (%y) {
  %y = Abs(%x)
}

func @Server(%used: float32[n], %unused: float32[n], %condition: bool[]) -> (%z) {
  %a = Neg(%used)
  %b = Abs(%used)
  %c = Constant() {value_float = 1.0}
  %z = If(%condition)
    then_branch() -> (%t) {
      %t = Sqrt(%b)
    }
    else_branch() -> (%e) {
      %e = Exp(%used)
    }
}
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range unread(m) {
		got = append(got, f.String())
	}
	want := []string{`module Server: input "unused" is not used`, "the result of Neg is not used"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMistakes splits the error of a recording into lines with their positions, which are those of the sources.
func TestMistakes(t *testing.T) {
	got := mistakes(errors.New("a/b/c.go:7: no input\nthe program has no modules\nd.go:1:2: twice"))
	want := []finding{{"a/b/c.go:7", "no input"}, {"", "the program has no modules"}, {"d.go:1:2", "twice"}}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i, line := range []string{"b/c.go:7", "", "d.go:1"} {
		if got[i].line() != line {
			t.Errorf("%v is in %q, want %q", got[i], got[i].line(), line)
		}
	}
}
