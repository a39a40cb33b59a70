// Package kernels contains the common flags of commands that compile: those by which kernels are chosen, and the stage
// after which a compilation is printed.
package kernels

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/target"
)

// Flags say for which processor, and by which measurements, kernels are chosen.
type Flags struct {
	NoWinograd bool
	CPU        string
	Tune       string
}

// Add declares the flags on a command.
func (f *Flags) Add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.NoWinograd, "no-winograd", false, "compute no convolution of floats by Winograd's transforms, which are faster but round more")
	cmd.Flags().StringVar(&f.CPU, "cpu", "", "the `level` of processors that choices between kernels are made for: "+strings.Join(target.Levels(), ", ")+", or the file of a machine that \"bbgen tune --machine\" wrote (default that of --tune, or "+target.Default.Level+")")
	cmd.Flags().StringVar(&f.Tune, "tune", "", "make the choices that \"bbgen tune\" wrote to this `file`")
	cli.Complete(cmd, "cpu", target.Levels()...)
}

// Options checks the flags and returns the options of a compilation.
func (f *Flags) Options() (o pass.Options, err error) {
	if f.NoWinograd && f.Tune != "" {
		return o, cli.Usagef("--no-winograd leaves nothing of --tune: give one of them")
	}
	if f.NoWinograd {
		o.Conv = pass.Direct
	}
	if f.CPU != "" {
		if o.Target, err = f.target(); err != nil {
			return o, err
		}
	}
	if f.Tune != "" {
		o.Tuned, err = f.tuning()
	}
	return o, err
}

// target returns the target of --cpu: of a level, or of a machine that was measured.
func (f *Flags) target() (*target.Target, error) {
	if t, err := target.Of(f.CPU); err == nil {
		return t, nil
	}
	b, err := os.ReadFile(f.CPU)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Usagef("--cpu is %q, want one of %s, or a file that \"bbgen tune --machine\" wrote", f.CPU, strings.Join(target.Levels(), ", "))
	}
	if err != nil {
		return nil, err
	}
	_, t, err := target.ParseMachine(b)
	if err != nil {
		return nil, fmt.Errorf("--cpu: %s: %w", f.CPU, err)
	}
	return t, nil
}

// tuning reads the file of --tune.
func (f *Flags) tuning() (*pass.Tuning, error) {
	b, err := os.ReadFile(f.Tune)
	if err != nil {
		return nil, fmt.Errorf("--tune: %w", err)
	}
	if _, _, other := target.ParseMachine(b); other == nil {
		return nil, cli.Usagef("--tune %s is about a machine, not about a model: give it to --cpu", f.Tune)
	}
	t, err := pass.ParseTuning(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Tune, err)
	}
	return t, nil
}

// Warn reports what is odd in the model, and entries in the file of --tune that do not match.
func (f *Flags) Warn(w io.Writer, r *bbgen.Result) {
	for _, s := range r.Warnings {
		fmt.Fprintf(w, "bbgen: warning: %s\n", s)
	}
	for _, s := range r.Stale {
		fmt.Fprintf(w, "bbgen: warning: %s: %s\n", f.Tune, s)
	}
}

// CheckDump returns an error if a compilation has no stage of the name that --dump has given as the last one.
func CheckDump(c bbgen.Config) error {
	if names := c.StageNames(); !slices.Contains(names, c.Until) {
		return cli.Usagef("--dump: there is no stage %q here; there are: %s", c.Until, strings.Join(names, ", "))
	}
	return nil
}
