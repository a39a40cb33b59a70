// Package generate is what bbgen does without a verb: it writes the Go package
// of a model.
package generate

import (
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cut"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// Flags are those that say how a model is compiled; bbgen build has them, too.
type Flags struct {
	Package    string
	Bind       map[string]int
	Weights    string
	Verbs      codegen.Verbs
	NoWinograd bool
	CPU        string
	Tune       string
	Quiet      bool
	Verbose    bool
}

// Add declares the flags on a command.
func (f *Flags) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Package, "package", "", "make the folder an importable `package` of this name; its program goes to cmd/NAME")
	cmd.Flags().StringToIntVar(&f.Bind, "bind", nil, "fix symbolic dimensions, as in batch=1,seq=128")
	cmd.Flags().StringVar(&f.Weights, "weights", "embed", "where the weights go: embed (in the binary) or file (beside it)")
	cmd.Flags().BoolVar(&f.Verbs.Serve, "serve", false, "give the program the verb serve, an HTTP server")
	cmd.Flags().BoolVar(&f.Verbs.Pprof, "pprof", false, "give the program the verb pprof, which writes a CPU profile labelled with nodes")
	cmd.Flags().BoolVar(&f.NoWinograd, "no-winograd", false, "compute no convolution by Winograd's transforms, which are faster but round more")
	cmd.Flags().StringVar(&f.CPU, "cpu", "", "the `level` of processors that choices between kernels are made for: "+pass.Levels()+" (default that of --tune, or "+pass.DefaultLevel+")")
	cmd.Flags().StringVar(&f.Tune, "tune", "", "make the choices that \"bbgen tune\" wrote to this `file`")
	cmd.Flags().BoolVarP(&f.Quiet, "quiet", "q", false, "show no progress")
	cmd.Flags().BoolVarP(&f.Verbose, "verbose", "v", false, "print each stage and how long it took")
}

// Options checks the flags and turns them into what [project.Compile] takes.
func (f *Flags) Options(p *cli.Progress) (project.Options, error) {
	if f.Weights != "embed" && f.Weights != "file" {
		return project.Options{}, cli.Usagef("--weights is %q, want embed or file", f.Weights)
	}
	if f.Package != "" && (!token.IsIdentifier(f.Package) || f.Package == "main") {
		return project.Options{}, cli.Usagef("--package is %q, want the name of a Go package other than main", f.Package)
	}
	choices, err := f.choices()
	if err != nil {
		return project.Options{}, err
	}
	return project.Options{
		Choices:    choices,
		Package:    f.Package,
		Bind:       f.Bind,
		Verbs:      f.Verbs,
		NoWinograd: f.NoWinograd,
		Sidecar:    f.Weights == "file",
		Stage:      func(name string) { p.Stage("%s", name) },
	}, nil
}

// choices are those of the flags; nil if there are none.
func (f *Flags) choices() (*pass.Choices, error) {
	if f.CPU != "" && !pass.IsLevel(f.CPU) {
		return nil, cli.Usagef("--cpu is %q, want one of %s", f.CPU, pass.Levels())
	}
	if f.NoWinograd && f.Tune != "" {
		return nil, cli.Usagef("--no-winograd leaves nothing of --tune: give one of them")
	}
	c := &pass.Choices{Level: f.CPU}
	if f.Tune == "" {
		return c, nil
	}
	b, err := os.ReadFile(f.Tune)
	if err != nil {
		return nil, err
	}
	if c.Tuned, err = pass.ParseTuning(b); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Tune, err)
	}
	return c, nil
}

// ReportStale says what of the file of --tune was of no use.
func (f *Flags) ReportStale(w io.Writer, opt project.Options) {
	for _, s := range opt.Choices.Stale {
		fmt.Fprintf(w, "bbgen: %s: %s\n", f.Tune, s)
	}
}

// Setup makes cmd generate code from its argument.
func Setup(cmd *cobra.Command) {
	var flags Flags
	flags.Add(cmd)
	var stages cut.Flags
	stages.Add(cmd)
	var limit cut.Limit
	limit.Add(cmd)
	out := cmd.Flags().StringP("output", "o", "", "the `folder` to write")
	host := cmd.Flags().String("host", "", "what the peers of a distributed program talk over: libp2p, or tcp (default: libp2p if the module around DIR requires github.com/bbgen/bbgen/runtime/host/libp2p)")
	joins := cmd.Flags().StringSlice("join", nil, "also write a peer that runs several `classes` of a distributed program at once, as in client+server; several times")
	dump := cmd.Flags().String("dump", "", "print the graph after this `pass` instead of generating code; after plan, how memory is used; after partition, how it is cut")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *dump == "partition" {
			return stages.Print(cmd, args[0], flags.Bind)
		}
		if *dump != "" {
			return dumpAfter(cmd, args[0], *dump, flags.Bind)
		}
		if *out == "" {
			return cli.Usagef("where to? give -o DIR")
		}
		p := cli.NewProgress(cmd.ErrOrStderr(), flags.Quiet, flags.Verbose)
		defer p.Done()
		opt, err := flags.Options(p)
		if err != nil {
			return err
		}
		if stages.Stages > 0 && (flags.CPU != "" || flags.Tune != "") {
			return cli.Usagef("--cpu and --tune are for a model in one piece")
		}
		guard := limit.Guard(args[0], &stages)
		if stages.Stages > 0 && len(*joins) > 0 {
			return cli.Usagef("--join: stages that one peer runs together are one stage: ask for fewer with --split")
		}
		if stages.Stages > 0 {
			return writeStages(cmd, args[0], *out, *host, &stages, guard, opt, p)
		}
		in, err := record.Read(cmd.Context(), args[0])
		if err != nil {
			if c := (*record.Crash)(nil); flags.Verbose && errors.As(err, &c) {
				fmt.Fprintln(cmd.ErrOrStderr(), c.Stack)
			}
			return err
		}
		opt.Stage("read")
		if record.IsProgram(in.Module) {
			return writeProgram(in, *out, *host, *joins, guard, opt, p)
		}
		if len(*joins) > 0 {
			return cli.Usagef("--join is for classes of a distributed program: %s is a plain model, which one peer runs", args[0])
		}
		if limit.Most != "" {
			return cli.Usagef("--limit is for what goes over a network: %s is a plain model, which one peer runs", args[0])
		}
		err = write(in.Module, args[0], *out, opt, p)
		p.Done()
		flags.ReportStale(cmd.ErrOrStderr(), opt)
		return err
	}
}

func write(m *ir.Module, input, dir string, opt project.Options, p *cli.Progress) error {
	home, err := project.Find(dir)
	if err != nil {
		return err
	}
	files, err := project.CompileModel(m, input, home, opt)
	if err != nil {
		return err
	}
	p.Stage("writing %d files", len(files))
	return project.Write(home.Dir, files)
}

// dumpAfter prints the text form of the graph as a pass leaves it, or how the
// plan of it uses memory.
func dumpAfter(cmd *cobra.Command, input, name string, bind map[string]int) error {
	last := pass.Find(name)
	if last == nil && name != "import" && name != "plan" {
		return cli.Usagef("--dump: there is no pass %q; there are: import, %s, plan, partition", name, pass.Names())
	}
	in, err := record.Read(cmd.Context(), input)
	if err != nil {
		return err
	}
	m, w := in.Module, cmd.OutOrStdout()
	if err := pass.Bind(m, bind); err != nil {
		return err
	}
	if name == "plan" {
		p, err := bbgen.Plan(m, bbgen.Options{})
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(w, p.Memory())
		return err
	}
	if last != nil {
		if err := pass.Run(m, pass.Until(last), nil); err != nil {
			return err
		}
	}
	_, err = fmt.Fprint(w, ir.Print(m))
	return err
}
