// Package vet implements bbgen vet, which reports mistakes in distributed programs.
package vet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/bbgen/bbgen/dsl/vet"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/ir/onnx"
)

// Command returns the command bbgen vet.
func Command() *cobra.Command {
	var static bool
	cmd := &cobra.Command{
		Use:   "vet [PACKAGE...]",
		Short: "look for mistakes in distributed programs that compile all the same",
		Long: `Vet looks at Go packages that are written with bbgen/dsl, the one here if none is
named: results that are not used, values that are sent to no input, inputs to which nothing
is sent, and quorums that are larger than the number of peers. It reads the sources; then it
records the program of each package that has one, as "bbgen record" does, and looks at
the graph. A line for each mistake says where it is; the exit code is 1 if there is any.

The part that reads sources is an analyzer, github.com/bbgen/bbgen/dsl/vet, for the
drivers of golang.org/x/tools/go/analysis.`,
		Example: `  bbgen vet ./...
  bbgen vet ./fedavg ./gossip
  bbgen vet --static ./...       # only the sources: nothing of theirs is run`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return check(cmd.Context(), cmd.OutOrStdout(), args, static)
		},
	}
	cmd.Flags().BoolVar(&static, "static", false, "read the sources and do not record the programs")
	return cmd
}

// finding is a mistake and its position, file:line, or "" if that is unknown.
type finding struct{ pos, text string }

func (f finding) String() string {
	if f.pos == "" {
		return f.text
	}
	return f.pos + ": " + f.text
}

// line returns the position of a finding as the file in its folder and the line, which is the same for
// sources and records.
func (f finding) line() string {
	parts := strings.SplitN(filepath.ToSlash(f.pos), ":", 3)
	if len(parts) < 2 {
		return ""
	}
	folders := strings.Split(parts[0], "/")
	return strings.Join(folders[max(len(folders)-2, 0):], "/") + ":" + parts[1]
}

// check prints the mistakes in packages.
func check(ctx context.Context, w io.Writer, patterns []string, static bool) error {
	list, err := load(ctx, patterns)
	if err != nil {
		return err
	}
	found, err := analyze(list)
	if err != nil {
		return err
	}
	for _, p := range list {
		if static {
			break
		}
		more, err := recorded(ctx, p)
		if err != nil {
			return err
		}
		for _, f := range more {
			if f.line() == "" || !slices.ContainsFunc(found, func(x finding) bool { return x.line() == f.line() }) {
				found = append(found, f)
			}
		}
	}
	for _, f := range found {
		fmt.Fprintln(w, f)
	}
	if len(found) > 0 {
		return cli.Failed{}
	}
	return nil
}

// load loads the packages that use package dsl.
func load(ctx context.Context, patterns []string) ([]*packages.Package, error) {
	patterns = folders(patterns)
	list, err := packages.Load(&packages.Config{Context: ctx, Mode: packages.LoadSyntax}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("the go command cannot load %s: %w", strings.Join(patterns, " "), err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no Go package is found: %q says why", "go list "+strings.Join(patterns, " "))
	}
	var errs []error
	list = slices.DeleteFunc(list, func(p *packages.Package) bool {
		errs = append(errs, record.Wrong(p))
		return p.Imports["github.com/bbgen/bbgen/dsl"] == nil
	})
	return list, errors.Join(errs...)
}

// folders returns patterns, in which folders without a leading dot have one: elsewhere they are written like that, but
// the go command would look for a package of its standard library.
func folders(patterns []string) []string {
	out := slices.Clone(patterns)
	for i, p := range out {
		if info, err := os.Stat(p); err == nil && info.IsDir() && filepath.IsLocal(p) {
			out[i] = "./" + filepath.ToSlash(filepath.Clean(p))
		}
	}
	return out
}

// analyze finds mistakes in the sources.
func analyze(list []*packages.Package) (found []finding, err error) {
	g, err := checker.Analyze([]*analysis.Analyzer{vet.Analyzer}, list, nil)
	if err != nil {
		return nil, err
	}
	for _, a := range g.Roots {
		if a.Err != nil {
			return nil, fmt.Errorf("%s: %w", a.Package.PkgPath, a.Err)
		}
		for _, d := range a.Diagnostics {
			at := a.Package.Fset.Position(d.Pos)
			found = append(found, finding{fmt.Sprintf("%s:%d:%d", record.FromHere(at.Filename), at.Line, at.Column), d.Message})
		}
	}
	return found, nil
}

// recorded finds mistakes in the record of a package's program, if it has one.
func recorded(ctx context.Context, p *packages.Package) ([]finding, error) {
	if p.Name == "main" {
		return nil, nil
	}
	a, err := record.Package(ctx, filepath.Dir(p.GoFiles[0]))
	switch {
	case errors.Is(err, record.ErrNoProgram), errors.Is(err, record.ErrLibrary):
		return nil, nil
	case err != nil:
		return mistakes(err), nil
	}
	m, err := onnx.Decode("artifact", a.Model, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.PkgPath, err)
	}
	return unread(m), nil
}

// mistakes returns the lines of a recording error.
func mistakes(err error) (list []finding) {
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSuffix(line, "\n")
		pos, text, ok := strings.Cut(line, ": ")
		if !ok || !strings.Contains(pos, ".go:") {
			pos, text = "", line
		}
		list = append(list, finding{pos, text})
	}
	return list
}
