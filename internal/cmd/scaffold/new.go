package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/internal/project"
)

// NewCommand returns the command bbgen new.
func NewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "new NAME --template T",
		Short: "begin a module that builds, runs and passes its test",
		Long: `New makes the folder NAME with a Go module that requires bbgen: a model or a program,
what bbgen generates of it, a test, and a README that says where to go on. A NAME such
as example.com/flowers is the path of the module, and the folder is flowers; one such
as ../flowers is the path of the folder, and the module is flowers. The templates are

` + list(),
		Example: `  bbgen new flowers --template classify && cd flowers && go test ./...
  bbgen new fleet --template federated`,
		Args: cli.One("NAME", "the folder, or the path of the module"),
	}
	kind := cmd.Flags().String("template", "", "what it begins as: "+strings.Join(names(), ", "))
	clone := cmd.Flags().String("bbgen", "", "require the clone of bbgen in this `folder` instead of a published version")
	cli.Complete(cmd, "template", names()...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := find(*kind)
		if err != nil {
			return err
		}
		dir, module, err := place(args[0])
		if err != nil {
			return err
		}
		if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
			return fmt.Errorf("%s is not empty: choose another name", dir)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := goCommand(dir, "mod", "init", module); err != nil {
			return err
		}
		return begin(cmd, &t, *kind, *clone, dir, dir, module)
	}
	return cmd
}

// modulePath is nearly what Go takes as the path of a module: all that is left to it is rare.
var modulePath = regexp.MustCompile(`^[\w~][\w~.-]*(/[\w~][\w~.-]*)*$`)

// place returns the folder of a new module, and the module's path. A name is that of the module, unless it
// is the path of a folder: absolute, or relative to . or ..
func place(name string) (dir, module string, err error) {
	dir, module = path.Base(name), name
	local := filepath.ToSlash(name)
	if filepath.IsAbs(name) || strings.HasPrefix(local, "./") || strings.HasPrefix(local, "../") {
		dir, module = name, filepath.Base(name)
	}
	if !modulePath.MatchString(module) {
		return "", "", cli.Usagef("NAME is %q, and Go takes no module of the name %q: want letters, digits and -._~, as in flowers or example.com/flowers", name, module)
	}
	dir, err = filepath.Abs(dir)
	return dir, module, err
}

// InitCommand returns the command bbgen init.
func InitCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init",
		Short: "have the module around here require bbgen, and begin a folder of it",
		Long: `Init has the Go module in the working folder require bbgen, as a library and as the
tool that "go tool bbgen" runs. With --template it makes a folder of the template's
name, too: what bbgen new makes, as packages of this module. The templates are

` + list(),
		Example: `  bbgen init
  bbgen init --template classify && go test ./classify/...`,
		Args: cli.None(),
	}
	kind := cmd.Flags().String("template", "", "the folder to make: "+strings.Join(names(), ", "))
	clone := cmd.Flags().String("bbgen", "", "require the clone of bbgen in this `folder` instead of a published version")
	cli.Complete(cmd, "template", names()...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		root, err := os.Getwd()
		if err != nil {
			return err
		}
		module, err := moduleHere(root)
		if err != nil {
			return err
		}
		if *kind == "" {
			if err := require(cmd, root, *clone); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s requires bbgen; go tool bbgen runs it\n", module)
			return nil
		}
		t, err := find(*kind)
		if err != nil {
			return err
		}
		dir := filepath.Join(root, *kind)
		if _, err := os.Stat(dir); err == nil {
			return fmt.Errorf("%s is there already: move it first", dir)
		}
		return begin(cmd, &t, *kind, *clone, root, dir, path.Join(module, *kind))
	}
	return cmd
}

// begin writes a template into a folder of a module, and generates the other files.
func begin(cmd *cobra.Command, t *template, kind, clone, root, dir, module string) error {
	if err := t.write(kind, dir, module); err != nil {
		return err
	}
	if err := require(cmd, root, clone); err != nil {
		return err
	}
	if err := t.generate(cmd, dir); err != nil {
		return err
	}
	if err := goCommand(root, "mod", "tidy"); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s is %s; go test ./... tests it, README.md says where to go on\n", filepath.Base(dir), t.short)
	return nil
}

// moduleHere returns the path of the module in a folder.
func moduleHere(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s has no go.mod: run it in a module, or begin one with bbgen new", dir)
	}
	if err != nil {
		return "", err
	}
	name := modfile.ModulePath(b)
	if name == "" {
		return "", fmt.Errorf("%s/go.mod names no module", dir)
	}
	return name, nil
}

// goVersion returns the version of Go in the go.mod of a folder, or "" if it has none.
func goVersion(dir string) string {
	b, _ := os.ReadFile(filepath.Join(dir, "go.mod")) // without it the go command says so
	if f, err := modfile.ParseLax("go.mod", b, nil); err == nil && f.Go != nil {
		return f.Go.Version
	}
	return ""
}

// require makes a module require bbgen: the version of this command, or a clone. It says so if that raises the module's
// version of Go.
func require(cmd *cobra.Command, dir, clone string) error {
	before := goVersion(dir)
	if err := requireBbgen(dir, clone); err != nil {
		return err
	}
	if now := goVersion(dir); before != now && before != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "go.mod: go %s is now go %s, which bbgen needs\n", before, now)
	}
	return nil
}

// requireBbgen is require without a word.
func requireBbgen(dir, clone string) error {
	version := "v0.0.0"
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		version = info.Main.Version
	}
	if clone == "" && (version == "v0.0.0" || strings.Contains(version, "+dirty") || strings.HasPrefix(version, "v0.0.0-")) {
		clone = source()
		if clone == "" {
			return cli.Usagef("this bbgen is no published version: say with --bbgen DIR where its clone is")
		}
	}
	args := []string{"mod", "edit", "-tool=" + project.Module + "/cmd/bbgen"}
	if clone == "" {
		args = append(args, "-require="+project.Module+"@"+version)
	} else {
		abs, err := filepath.Abs(clone)
		if err != nil {
			return err
		}
		if err := sums(dir, abs); err != nil {
			return err
		}
		args = append(args, "-require="+project.Module+"@v0.0.0", "-replace="+project.Module+"="+abs)
	}
	if err := goCommand(dir, args...); err != nil {
		return err
	}
	return goCommand(dir, "mod", "tidy", "-e") // generated packages may not exist yet
}

// source returns the folder of the clone in which this command was built, if it exists.
func source() string {
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Join(filepath.Dir(file), "..", "..", "..")
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); !filepath.IsAbs(file) || err != nil {
		return ""
	}
	return dir
}

// sums copies the go.sum of a clone to a module without one, so that modules the clone uses need not be
// downloaded.
func sums(dir, clone string) error {
	if module, err := moduleHere(clone); err != nil || module != project.Module {
		return fmt.Errorf("--bbgen %s is no clone of bbgen", clone)
	}
	b, err := os.ReadFile(filepath.Join(clone, "go.sum"))
	if err != nil {
		return err
	}
	to := filepath.Join(dir, "go.sum")
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	return os.WriteFile(to, b, 0o666)
}

// goCommand runs the go command in a folder.
func goCommand(dir string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if b, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w%s", strings.Join(args, " "), err, gobuild.Detail(err, string(b)))
	}
	return nil
}
