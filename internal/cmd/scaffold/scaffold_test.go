package scaffold

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/ir/onnx"
)

// TestMain is also the go command of the tests.
func TestMain(m *testing.M) {
	cmdtest.Main(m, func(string, []string) int { return 0 })
}

// clone returns the folder of this module.
func clone(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestInit: the module requires bbgen from a clone, with the sums of the clone, so that nothing is downloaded.
func TestInit(t *testing.T) {
	bbgen := clone(t)
	t.Chdir(t.TempDir())
	cmdtest.File(t, ".", "go.mod", "// a comment\nmodule \"example.com/app\" // its path\n\ngo 1.26\n")
	calls := cmdtest.Toolchain(t, "")
	out, _, err := cmdtest.Run(t, InitCommand(), "--bbgen", bbgen)
	if err != nil || out != "example.com/app requires bbgen; go tool bbgen runs it\n" {
		t.Errorf("got %q, %v", out, err)
	}
	want := []string{"mod edit -tool=github.com/bbgen/bbgen/cmd/bbgen -require=github.com/bbgen/bbgen@v0.0.0 -replace=github.com/bbgen/bbgen=" + bbgen, "mod tidy -e"}
	if got := calls(); !slices.Equal(got, want) {
		t.Errorf("the go command was called %q, want %q", got, want)
	}
	got, err := os.ReadFile("go.sum")
	sum, sumErr := os.ReadFile(filepath.Join(bbgen, "go.sum"))
	if err != nil || sumErr != nil || string(got) != string(sum) {
		t.Errorf("go.sum is not that of the clone: %v, %v", err, sumErr)
	}
}

// TestInitRaisesGo: it is said when the module needs a later version of Go than before.
func TestInitRaisesGo(t *testing.T) {
	bbgen := clone(t)
	t.Chdir(t.TempDir())
	cmdtest.File(t, ".", "go.mod", "module example.com/app\n\ngo 1.1\n")
	cmdtest.Toolchain(t, "")
	var lines []string
	for _, want := range []string{"go.mod: go 1.1 is now go 1.26, which bbgen needs\nexample.com/app requires bbgen; go tool bbgen runs it\n", "example.com/app requires bbgen; go tool bbgen runs it\n"} {
		if out, _, err := cmdtest.Run(t, root(&lines), "init", "--bbgen", bbgen); err != nil || out != want {
			t.Errorf("got %q, %v, want %q", out, err, want)
		}
	}
}

// root returns a command with new and init below it, which notes the command lines that it runs.
func root(lines *[]string) *cobra.Command {
	cmd := &cobra.Command{Use: "bbgen", Args: cobra.ArbitraryArgs, RunE: func(_ *cobra.Command, args []string) error {
		*lines = append(*lines, strings.Join(args, " "))
		return nil
	}, FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true}}
	train := &cobra.Command{Use: "train", Args: cobra.ArbitraryArgs, RunE: func(_ *cobra.Command, args []string) error {
		*lines = append(*lines, "train "+strings.Join(args, " "))
		return nil
	}, FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true}}
	cmd.AddCommand(NewCommand(), InitCommand(), train)
	return cmd
}

// TestTemplates: each template becomes a module whose files name it, whose models can be read, and which is then
// generated and tidied.
func TestTemplates(t *testing.T) {
	bbgen := clone(t)
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			calls := cmdtest.Toolchain(t, "")
			var lines []string
			out, _, err := cmdtest.Run(t, root(&lines), "new", "example.com/"+name+"er", "--template", name, "--bbgen", bbgen)
			if err != nil {
				t.Fatal(err)
			}
			if want := name + "er is " + templates[name].short + "; "; !strings.HasPrefix(out, want) {
				t.Errorf("told %q, want %q at its beginning", out, want)
			}
			if len(lines) != len(templates[name].run) {
				t.Errorf("bbgen was called %q, want the %d calls of the template", lines, len(templates[name].run))
			}
			if got := calls(); len(got) != 4 || got[0] != "mod init example.com/"+name+"er" || got[3] != "mod tidy" {
				t.Errorf("the go command was called %q", got)
			}
			count := 0
			err = filepath.WalkDir(name+"er", func(file string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				count++
				b, err := os.ReadFile(file)
				if strings.Contains(string(b), "MODULE") || strings.HasSuffix(file, ".tmpl") {
					t.Errorf("%s is still a template", file)
				}
				if strings.HasSuffix(file, ".onnx") {
					_, err = onnx.ReadFile(file)
				}
				return err
			})
			if err != nil || count < 3 {
				t.Errorf("%d files, %v", count, err)
			}
		})
	}
}

// TestInitTemplate: the template becomes a folder of the module, once.
func TestInitTemplate(t *testing.T) {
	bbgen := clone(t)
	t.Chdir(t.TempDir())
	cmdtest.File(t, ".", "go.mod", "module example.com/app\n")
	cmdtest.Toolchain(t, "")
	var lines []string
	if _, _, err := cmdtest.Run(t, root(&lines), "init", "--template", "gossip", "--bbgen", bbgen); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("gossip/program/program.go")
	if err != nil || !strings.Contains(string(b), "example.com/app/gossip/program/sensor") {
		t.Errorf("the program does not import a package of the module: %v\n%s", err, b)
	}
	if _, _, err := cmdtest.Run(t, root(&lines), "init", "--template", "gossip", "--bbgen", bbgen); err == nil || !strings.HasSuffix(err.Error(), "gossip is there already: move it first") {
		t.Errorf("a second time: %v", err)
	}
}

// TestPlace shows which names are paths of folders, and which are paths of modules.
func TestPlace(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, dir, module string }{
		{"flowers", filepath.Join(here, "flowers"), "flowers"},
		{"example.com/a/flowers", filepath.Join(here, "flowers"), "example.com/a/flowers"},
		{"./flowers", filepath.Join(here, "flowers"), "flowers"},
		{"../two words/flowers", filepath.Join(filepath.Dir(here), "two words", "flowers"), "flowers"},
		{filepath.Join(here, "a", "b"), filepath.Join(here, "a", "b"), "b"},
	} {
		if dir, module, err := place(c.name); dir != c.dir || module != c.module || err != nil {
			t.Errorf("%s: module %s in %s (%v), want %s in %s", c.name, module, dir, err, c.module, c.dir)
		}
	}
}

// TestRefuses shows folders and flags with which nothing is begun.
func TestRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.Toolchain(t, "no module proxy")
	for _, dir := range []string{"full", "nameless", "app"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmdtest.File(t, "full", "file", "")
	cmdtest.File(t, "nameless", "go.mod", "go 1.26\n")
	cmdtest.Refuse(t, NewCommand,
		cmdtest.Refusal{Args: []string{"x"}, Want: `which template? give --template, one of allreduce, classify, `, Usage: true},
		cmdtest.Refusal{Args: []string{"--template", "classify"}, Want: "want one NAME, the folder, or the path of the module: there is none", Usage: true},
		cmdtest.Refusal{Args: []string{"example.com/full", "--template", "classify"}, Want: "full is not empty: choose another name"},
		cmdtest.Refusal{Args: []string{"two words", "--template", "classify"}, Want: `NAME is "two words", and Go takes no module of the name "two words": want letters, digits and -._~, as in flowers or example.com/flowers`, Usage: true},
		cmdtest.Refusal{Args: []string{"..", "--template", "classify"}, Want: `NAME is "..", and Go takes no module of the name "..": want letters`, Usage: true},
		cmdtest.Refusal{Args: []string{"example.com/x", "--template", "classify"}, Want: "go mod init example.com/x: exit status 1\nno module proxy"},
	)
	cmdtest.Refuse(t, InitCommand,
		cmdtest.Refusal{Args: nil, Want: "has no go.mod: run it in a module, or begin one with bbgen new"},
		cmdtest.Refusal{Args: []string{"x"}, Want: `unexpected argument "x"`, Usage: true},
	)
	if _, err := moduleHere("nameless"); err == nil || err.Error() != "nameless/go.mod names no module" {
		t.Errorf("a go.mod without a module: %v", err)
	}
	if err := sums("app", "nameless"); err == nil || err.Error() != "--bbgen nameless is no clone of bbgen" {
		t.Errorf("another clone: %v", err)
	}
	if runtime.GOOS != "windows" {
		if err := put("full/file", "x", nil); err == nil {
			t.Error("a file is taken for a folder")
		}
	}
	if err := put("full", "file", []byte("other")); err == nil || !strings.HasSuffix(err.Error(), "is in the way: move it or choose another folder") {
		t.Errorf("a file that is there already: %v", err)
	}
}
