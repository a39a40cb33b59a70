// Package generate is what bbgen does without a verb: it writes the Go package
// of a model.
package generate

import (
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"slices"
	"strings"

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
	cli.Bind(cmd.Flags(), &f.Bind)
	cmd.Flags().StringVar(&f.Weights, "weights", "embed", "the `place` where the weights go: embed (in the binary) or file (beside it)")
	cmd.Flags().BoolVar(&f.Verbs.Serve, "serve", false, "give the program the verb serve, an HTTP server")
	cmd.Flags().BoolVar(&f.Verbs.Pprof, "pprof", false, "give the program the verb pprof, which writes a CPU profile labelled with nodes")
	cmd.Flags().BoolVar(&f.NoWinograd, "no-winograd", false, "compute no convolution by Winograd's transforms, which are faster but round more")
	cmd.Flags().StringVar(&f.CPU, "cpu", "", "the `level` of processors that choices between kernels are made for: "+strings.Join(pass.Levels(), ", ")+" (default that of --tune, or "+pass.DefaultLevel+")")
	cmd.Flags().StringVar(&f.Tune, "tune", "", "make the choices that \"bbgen tune\" wrote to this `file`")
	cmd.Flags().BoolVarP(&f.Quiet, "quiet", "q", false, "show no progress")
	cmd.Flags().BoolVarP(&f.Verbose, "verbose", "v", false, "print each stage and how long it took")
	cli.Complete(cmd, "weights", "embed", "file")
	cli.Complete(cmd, "cpu", pass.Levels()...)
}

// Options checks the flags and turns them into what [project.Compile] takes.
func (f *Flags) Options(p *cli.Progress) (project.Options, error) {
	if f.Weights != "embed" && f.Weights != "file" {
		return project.Options{}, cli.Usagef("--weights is %q, want embed or file", f.Weights)
	}
	choices, err := f.choices()
	if err != nil {
		return project.Options{}, err
	}
	return project.Options{
		Choices:    choices,
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
		return nil, cli.Usagef("--cpu is %q, want one of %s", f.CPU, strings.Join(pass.Levels(), ", "))
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

// generator is the command without a verb.
type generator struct {
	Flags
	Package string
	cut     cut.Flags
	limit   cut.Limit
	out     string
	host    string
	joins   []string
	dump    string
}

// Setup makes cmd generate code from its argument.
func Setup(cmd *cobra.Command) {
	var g generator
	g.Flags.Add(cmd)
	g.cut.Add(cmd)
	g.limit.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&g.Package, "package", "", "make the folder an importable `package` of this name; its program goes to cmd/NAME")
	f.StringVarP(&g.out, "output", "o", "", "the `folder` to write")
	f.StringVar(&g.host, "host", "", "the `network` that the peers of a distributed program talk over: libp2p, or tcp (default: libp2p if the module around DIR requires github.com/bbgen/bbgen/runtime/host/libp2p)")
	f.StringSliceVar(&g.joins, "join", nil, "also write a peer that runs several `classes` of a distributed program at once, as in client+server; several times")
	f.StringVar(&g.dump, "dump", "", "print the graph after this `pass` instead of generating code; after plan, how memory is used; after partition, how it is cut")
	cli.Complete(cmd, "host", "libp2p", "tcp")
	cli.Complete(cmd, "dump", dumps()...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case g.dump == "partition":
			return g.cut.Print(cmd, args[0], g.Bind)
		case g.dump != "":
			return dumpAfter(cmd, args[0], g.dump, g.Bind)
		case g.out == "":
			return cli.Usagef("where to? give -o DIR")
		}
		p := cli.NewProgress(cmd.ErrOrStderr(), g.Quiet, g.Verbose)
		defer p.Done()
		return g.run(cmd, args[0], p)
	}
}

// run writes what an input is: a model, the stages of one, or a program.
func (g *generator) run(cmd *cobra.Command, input string, p *cli.Progress) error {
	opt, err := g.options(p)
	if err != nil {
		return err
	}
	split, err := g.cut.Split()
	if err != nil {
		return err
	}
	if split != nil {
		return g.writeStages(cmd, input, split, opt, p)
	}
	in, err := record.Read(cmd.Context(), input)
	if err != nil {
		if c := (*record.Crash)(nil); g.Verbose && errors.As(err, &c) {
			fmt.Fprintln(cmd.ErrOrStderr(), c.Stack)
		}
		return err
	}
	opt.Stage("read")
	if record.IsProgram(in.Module) {
		return g.writeProgram(input, in, opt, p)
	}
	if len(g.joins) > 0 {
		return cli.Usagef("--join is for classes of a distributed program: %s is a plain model, which one peer runs", input)
	}
	if g.limit.Most > 0 {
		return cli.Usagef("--limit is for what goes over a network: %s is a plain model, which one peer runs", input)
	}
	err = g.writeModel(in.Module, input, opt, p)
	p.Done()
	g.ReportStale(cmd.ErrOrStderr(), opt)
	return err
}

// options are those of the flags.
func (g *generator) options(p *cli.Progress) (project.Options, error) {
	if g.Package != "" && (!token.IsIdentifier(g.Package) || g.Package == "main") {
		return project.Options{}, cli.Usagef("--package is %q, want the name of a Go package other than main", g.Package)
	}
	opt, err := g.Flags.Options(p)
	opt.Package = g.Package
	return opt, err
}

func (g *generator) writeModel(m *ir.Module, input string, opt project.Options, p *cli.Progress) error {
	home, err := project.Find(g.out)
	if err != nil {
		return err
	}
	files, err := project.CompileModel(m, input, home, opt)
	if err != nil {
		return err
	}
	p.Stage("writing %d files", len(files))
	if err := project.Write(home.Dir, files); err != nil {
		return err
	}
	if opt.Package != "" && home.Own && home.Around != "" {
		p.Note(fmt.Sprintf("%s is a module of its own, which %s cannot import, as that does not require bbgen: run \"go get %s\" there and generate again", g.out, home.Around, project.Module))
	}
	return nil
}

// dumps are what --dump takes.
func dumps() []string {
	return slices.Concat([]string{"import"}, pass.Names(), []string{"plan", "partition"})
}

// dumpAfter prints the text form of the graph as a pass leaves it, or how the
// plan of it uses memory.
func dumpAfter(cmd *cobra.Command, input, name string, bind map[string]int) error {
	last := pass.Find(name)
	if last == nil && name != "import" && name != "plan" {
		return cli.Usagef("--dump: there is no pass %q; there are: %s", name, strings.Join(dumps(), ", "))
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
