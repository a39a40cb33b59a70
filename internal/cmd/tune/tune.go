// Package tune implements bbgen tune, which measures on this machine which of several alternatives to compute
// the same is the fastest.
package tune

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/host/disk"
)

// flags are the flags of the command.
type flags struct {
	bind    map[string]int
	out     string
	in      string
	time    time.Duration
	rounds  int
	threads int
	machine bool
	quiet   bool
	verbose bool
}

// Command returns the command bbgen tune.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tune MODEL",
		Short: "measure on this machine which kernels suit a model, for --tune, or what suits all models, for --cpu",
		Long: `Tune builds a model once for each way to compute what can be computed in several
ways (a 3×3 convolution directly or by Winograd's transforms, of tiles of 4×4 or of
2×2 pixels, images with the channels last or first), profiles these programs in turn, and writes to a file
which way took the least time at each node. "bbgen MODEL --tune FILE" generates by
it; nothing is measured then, so that the same files give the same code. A way that
is faster by less than 3 % is not taken.

With --machine there is no model: it measures the speeds that bbgen otherwise assumes
of a level of processors when it chooses, and writes them with the machine's name and
how each was measured. "bbgen MODEL --cpu FILE" chooses by them.

The machine should be idle. BBGEN_CPU=avx2 has the kernels of a lower level measured.`,
		Example: `  bbgen tune resnet.onnx -o tune.json && bbgen build resnet.onnx --tune tune.json -o resnet
  bbgen tune unet.onnx --bind batch=1 --threads 1
  bbgen tune --machine -o here.json && bbgen build unet.onnx --cpu here.json -o unet`,
	}
	var f flags
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if f.machine {
			return cli.None()(cmd, args)
		}
		return cli.One("MODEL", "an ONNX file")(cmd, args)
	}
	cmd.Flags().BoolVar(&f.machine, "machine", false, "measure this machine instead of a model; the file is machine.json then, unless -o says another")
	cmd.Flags().StringVarP(&f.out, "output", "o", "tune.json", "the `file` to write")
	cli.Sizes(cmd.Flags(), &f.bind, "bind", "fix symbolic dimensions to these `sizes`, as in batch=1; those left are 1 while it is measured")
	cmd.Flags().StringVar(&f.in, "in", "", "a `folder` of input_I.pb to run on; without it inputs are random")
	cmd.Flags().DurationVar(&f.time, "time", time.Second, "how long one measurement takes")
	cmd.Flags().IntVar(&f.rounds, "rounds", 3, "how often each way is measured; the least time counts")
	cmd.Flags().IntVar(&f.threads, "threads", 0, "threads to use; 0 is all")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "show no progress")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print each stage and how long it took")
	cmd.RunE = f.run
	return cmd
}

// run tunes for a model, or for all models on this machine.
func (f *flags) run(cmd *cobra.Command, args []string) error {
	if f.rounds < 1 || f.time <= 0 {
		return cli.Usagef("--rounds is %d and --time is %v, want both above 0", f.rounds, f.time)
	}
	if f.threads < 0 {
		return cli.Usagef("--threads is %d, want 0 or more", f.threads)
	}
	if f.machine {
		return f.runMachine(cmd)
	}
	if f.in != "" { // before it builds programs for minutes
		if info, err := os.Stat(f.in); err != nil || !info.IsDir() {
			return cli.Usagef("--in %s: there is no such folder", f.in)
		}
	}
	if err := cli.CheckOutput("-o", f.out, args[0]); err != nil {
		return err
	}
	p := cli.NewProgress(cmd.ErrOrStderr(), f.quiet, f.verbose)
	defer p.Done()
	t, rows, err := f.tune(args[0], p)
	if err != nil {
		return err
	}
	b, err := t.Encode()
	if err != nil {
		return err
	}
	if err := disk.Replace(f.out, b, 0o666); err != nil {
		return err
	}
	p.Done()
	_, err = fmt.Fprint(cmd.OutOrStdout(), table(t, rows))
	return err
}

// tune measures the alternatives for a model and selects among them.
func (f *flags) tune(model string, p *cli.Progress) (*pass.Tuning, []row, error) {
	tmp, remove, err := project.TempDir("", "bbgen-tune-*")
	if err != nil {
		return nil, nil, err
	}
	defer remove()
	b := &bench{flags: f, model: model, tmp: tmp, progress: p}
	usual, err := b.chosen("")
	if err != nil {
		return nil, nil, err
	}
	ways := waysOf(usual)
	for i := range ways {
		if err := b.build(&ways[i]); err != nil {
			return nil, nil, err
		}
	}
	for round := range f.rounds {
		for i := range ways {
			p.Stage("round %d of %d, %s", round+1, f.rounds, ways[i].name)
			if err := b.measure(&ways[i]); err != nil {
				return nil, nil, err
			}
		}
	}
	// The choices of the cost model at the measured level.
	if usual, err = b.chosen(ways[0].level); err != nil {
		return nil, nil, err
	}
	t, rows := choose(b.name, usual, ways)
	return t, rows, nil
}

// chosen returns the choices of the cost model at a level; "" is the default.
func (b *bench) chosen(level string) (*pass.Report, error) {
	m, err := onnx.ReadFile(b.model)
	if err != nil {
		return nil, err
	}
	b.name = m.Name
	t, err := target.Of(level)
	if err != nil {
		return nil, err
	}
	r, err := bbgen.Compile(m, bbgen.Config{Bind: b.flags.bind, Options: pass.Options{Target: t}, Until: "plan"})
	if err != nil {
		return nil, err
	}
	return &r.Report.Report, nil
}

// args returns the arguments of the program's bench command.
func (f *flags) args() []string {
	args := []string{"bench", "-profile", "-json", "-time", f.time.String(), "-threads", strconv.Itoa(f.threads)}
	if f.in != "" {
		args = append(args, "-in", f.in)
	}
	return args
}
