// Bbgen compiles machine-learning models to small static Go binaries.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/build"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cost"
	"github.com/bbgen/bbgen/internal/cmd/deploy"
	"github.com/bbgen/bbgen/internal/cmd/doctor"
	"github.com/bbgen/bbgen/internal/cmd/export"
	"github.com/bbgen/bbgen/internal/cmd/generate"
	"github.com/bbgen/bbgen/internal/cmd/inspect"
	"github.com/bbgen/bbgen/internal/cmd/man"
	"github.com/bbgen/bbgen/internal/cmd/manifest"
	"github.com/bbgen/bbgen/internal/cmd/record"
	"github.com/bbgen/bbgen/internal/cmd/remote"
	"github.com/bbgen/bbgen/internal/cmd/run"
	"github.com/bbgen/bbgen/internal/cmd/scaffold"
	"github.com/bbgen/bbgen/internal/cmd/test"
	"github.com/bbgen/bbgen/internal/cmd/train"
	"github.com/bbgen/bbgen/internal/cmd/tune"
	"github.com/bbgen/bbgen/internal/cmd/version"
	"github.com/bbgen/bbgen/internal/cmd/vet"
	"github.com/bbgen/bbgen/internal/cmd/view"
)

func main() {
	cli.CleanUpOnInterrupt()
	verb, err := execute(os.Args[1:], os.Stdout, os.Stderr)
	os.Exit(exitCode(verb, err, os.Stderr))
}

// execute runs one command line and returns its verb. A panic is a bug in bbgen and becomes an error; with
// GOTRACEBACK set, it shows its origin.
func execute(args []string, stdout, stderr io.Writer) (verb string, err error) {
	if os.Getenv("GOTRACEBACK") == "" {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("internal error, please report it (GOTRACEBACK=all shows more): %v", r)
			}
		}()
	}
	root := command(args, stdout, stderr)
	if err := cli.Misspelled(root, args); err != nil {
		return root.CommandPath(), err
	}
	cmd, err := cli.OneDash(root, args)
	if err == nil {
		cmd, err = root.ExecuteC()
	}
	return cmd.CommandPath(), err
}

// command returns the tree of verbs.
func command(args []string, stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "bbgen INPUT -o DIR",
		Short: "compile machine-learning models to small static Go binaries",
		Long: `Bbgen compiles an ONNX model to readable Go that calls a small runtime of CPU
kernels. What it writes builds with plain "go build" into one static binary: no
interpreter, no cgo, no Python, for every GOOS and GOARCH.

INPUT may also be a distributed program: the folder of a Go package that is written
with bbgen/dsl, or its recorded artifact. Then DIR has a program for each class of
peers, and one that simulates them all.

Inside a Go module that requires bbgen, DIR becomes a package of that module;
elsewhere it becomes a module of its own that carries its runtime.`,
		Example: `  bbgen digits.onnx -o peer && cd peer && go build && ./peer info
  bbgen digits.onnx -o digits --package digits   # to import it
  bbgen build digits.onnx -o digits.bin          # straight to the binary
  bbgen ./fedavg -o peer                         # a program in Go, for several peers`,
		Args: cli.One("INPUT", "an ONNX file or the folder of a Go package"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault // files, beside the verbs
		},
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(cli.FlagError)
	generate.Setup(root)
	root.AddCommand(
		build.Command(),
		cost.Command(),
		deploy.Command(),
		doctor.Command(),
		train.EvalCommand(),
		export.Command(),
		scaffold.InitCommand(),
		inspect.Command(),
		man.Command(),
		manifest.Command(func(args []string) error {
			_, err := execute(args, stdout, stderr)
			return err
		}),
		scaffold.NewCommand(),
		record.Command(),
		remote.Command(),
		run.Command(),
		test.Command(),
		train.Command(),
		tune.Command(),
		version.Command(),
		vet.Command(),
		view.Command(),
	)
	return root
}

// exitCode reports an error and returns the exit status: 0 for none, 1 for an error in the input, 2 for an
// error in the command line. The status of a program that bbgen runs is passed on.
func exitCode(verb string, err error, stderr io.Writer) int {
	var usage cli.UsageError
	var quiet cli.Failed
	switch {
	case err == nil:
		return 0
	case errors.As(err, &quiet):
		return max(quiet.Code, 1)
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "bbgen: %s\nRun \"%s -h\" for usage.\n", legible(err), verb)
		return 2
	}
	fmt.Fprintf(stderr, "bbgen: %s\n", legible(err))
	return 1
}

// maxLine is the maximum length of a line of an error message: files can contain names and lists of any
// length.
const maxLine = 600

// legible returns the error's message with long lines cut.
func legible(err error) string {
	lines := strings.Split(err.Error(), "\n")
	for i, s := range lines {
		if len(s) > maxLine {
			lines[i] = strings.ToValidUTF8(s[:maxLine], "") + " …"
		}
	}
	return strings.Join(lines, "\n")
}
