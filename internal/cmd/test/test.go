// Package test implements bbgen test, which runs ONNX test cases through generated code.
package test

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// Command returns the command bbgen test.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test CASE_DIR...",
		Short: "run ONNX test cases through generated code and compare",
		Long: `Test generates the code of every case, builds all of it at once, runs it and
compares the outputs. A case is a folder with model.onnx and test_data_set_K/
with input_I.pb and output_I.pb; an argument may be a case, a folder of cases or a
zip file of them. Tolerances come from the manifest.json in an argument's root,
where there is one.

With --jobs nothing is compared: LIST has a line "name TAB model TAB in TAB out" for each
data set, and the outputs of the folder "in" are written to the folder "out". A model that cannot be
compiled leaves out/UNSUPPORTED with the reason, one that fails out/ERROR.`,
		Example: `  bbgen test onnx/backend/test/data/node/test_relu
  bbgen test cases.zip --match 'test_(conv|gemm)'
  bbgen test --jobs jobs.tsv`,
	}
	f := cmd.Flags()
	var tol compare.Tolerance
	f.Float64Var(&tol.Rel, "rtol", 1e-3, "relative tolerance, where no manifest gives one")
	f.Float64Var(&tol.Abs, "atol", 1e-7, "absolute tolerance, where no manifest gives one")
	list := f.String("jobs", "", "run the jobs of this `file` without comparing")
	match := f.String("match", "", "only cases whose name matches this regular `expression`")
	keep := f.String("keep", "", "generate into this `folder` and leave it there")
	quiet := f.BoolP("quiet", "q", false, "show no progress")
	verbose := f.BoolP("verbose", "v", false, "print each stage, and a line for each case that passes")
	cmd.Args = cli.Args(func(cmd *cobra.Command, args []string) error {
		if (*list == "") == (len(args) == 0) {
			return fmt.Errorf("give folders of cases, or --jobs LIST")
		}
		return nil
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p := cli.NewProgress(cmd.ErrOrStderr(), *quiet, *verbose)
		defer p.Done()
		if *list != "" {
			return runJobs(*list, *keep, p)
		}
		return runCases(args, tol, *match, *keep, *verbose, cmd.OutOrStdout(), p)
	}
	return cmd
}

func runJobs(list, keep string, p *cli.Progress) error {
	jobs, err := readJobs(list)
	if err != nil {
		return err
	}
	return execute(jobs, keep, p)
}

func runCases(args []string, tol compare.Tolerance, match, keep string, verbose bool, w io.Writer, p *cli.Progress) error {
	cases, cleanup, err := findCases(args, tol, match)
	defer cleanup()
	if err != nil {
		return err
	}
	if len(cases) == 0 {
		if match != "" {
			return fmt.Errorf("no case in %s has a name that matches %q of --match", strings.Join(args, ", "), match)
		}
		return fmt.Errorf("no cases found in %s: a case is a folder with model.onnx and test_data_set_0", strings.Join(args, ", "))
	}
	outs, remove, err := project.TempDir("", "bbgen-out-*")
	if err != nil {
		return err
	}
	defer remove()
	var jobs []*job
	for _, c := range cases {
		for _, j := range c.jobs {
			j.out = filepath.Join(outs, fmt.Sprint(len(jobs)))
			jobs = append(jobs, j)
		}
	}
	if err := execute(jobs, keep, p); err != nil {
		return err
	}
	p.Done()
	return report(cases, verbose, w)
}

// report prints a line for each failure, and the totals.
func report(cases []*testCase, verbose bool, w io.Writer) error {
	passed, failed, skipped := 0, 0, 0
	for _, c := range cases {
		switch err := c.verdict(); {
		case len(c.jobs) == 0:
			skipped++
			fmt.Fprintf(w, "SKIP %s: it has no data\n", c.name)
		case err != nil:
			failed++
			fmt.Fprintf(w, "FAIL %s: %v\n", c.name, err)
		default:
			passed++
			if verbose {
				fmt.Fprintf(w, "ok   %s\n", c.name)
			}
		}
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	switch {
	case failed > 0:
		return cli.Failed{}
	case passed == 0:
		return errors.New("nothing was tested: no case has data in test_data_set_0")
	}
	return nil
}
