// Package generate implements bbgen without a subcommand: it writes the Go package of a model.
package generate

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cut"
	"github.com/bbgen/bbgen/internal/cmd/kernels"
	"github.com/bbgen/bbgen/internal/cmd/models"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/ir"
)

// Flags are the flags that configure the compilation of a model, also for bbgen build.
type Flags struct {
	kernels.Flags
	Bind    map[string]int
	Weights string
	Verbs   codegen.Verbs
	Quiet   bool
	Verbose bool
}

// Add declares the flags on a command.
func (f *Flags) Add(cmd *cobra.Command) {
	f.Flags.Add(cmd)
	cli.Bind(cmd.Flags(), &f.Bind)
	cmd.Flags().StringVar(&f.Weights, "weights", "embed", "the `place` where the weights go: embed (in the binary) or file (beside it)")
	cmd.Flags().BoolVar(&f.Verbs.Serve, "serve", false, "give the program the verb serve, an HTTP server")
	cmd.Flags().BoolVar(&f.Verbs.Pprof, "pprof", false, "give the program the verb pprof, which writes a CPU profile with nodes as labels")
	cmd.Flags().BoolVarP(&f.Quiet, "quiet", "q", false, "print warnings and errors only")
	cmd.Flags().BoolVarP(&f.Verbose, "verbose", "v", false, "print each stage and how long it took")
	cli.Complete(cmd, "weights", "embed", "file")
}

// Config checks the flags and returns the configuration for [bbgen.Compile].
func (f *Flags) Config(p *cli.Progress) (bbgen.Config, error) {
	c := bbgen.Config{Bind: f.Bind, Verbs: f.Verbs, Sidecar: f.Weights == "file", Done: func(name string) { p.Stage("%s", name) }}
	if f.Weights != "embed" && f.Weights != "file" {
		return c, cli.Usagef("--weights is %q, want embed or file", f.Weights)
	}
	var err error
	c.Options, err = f.Options()
	return c, err
}

// generator is the state of the command.
type generator struct {
	Flags
	Package string
	cut     cut.Flags
	limit   cut.Limit
	privacy cut.Privacy
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
	g.privacy.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&g.Package, "package", "", "make the folder an importable `package` of this name; its program goes to cmd/NAME")
	f.StringVarP(&g.out, "output", "o", "", "the `folder` to write")
	f.StringVar(&g.host, "host", "", "the `network` that the peers of a distributed program talk over: libp2p, tcp, or nats (default: libp2p if the module around DIR requires github.com/bbgen/bbgen/runtime/host/libp2p)")
	f.StringSliceVar(&g.joins, "join", nil, "also write a peer that runs several `classes` of a distributed program at once, as in client+server; several times")
	f.StringVar(&g.dump, "dump", "", "print the graph after this `stage` instead of generating code; after bind, what is in the slots; after partition, how it is cut, and the graph after that; after plan, how memory is used, or what peers keep; after print, the names of the files")
	cli.Complete(cmd, "host", "libp2p", "nats", "tcp")
	cli.Complete(cmd, "dump", bbgen.Stages()...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if g.dump == "" && g.out == "" {
			return cli.Usagef("where to? give -o DIR")
		}
		p := cli.NewProgress(cmd.ErrOrStderr(), g.Quiet || g.dump != "", g.Verbose)
		defer p.Done()
		return g.run(cmd, args[0], p)
	}
}

// run compiles an input, and writes files or the dump of a stage.
func (g *generator) run(cmd *cobra.Command, input string, p *cli.Progress) error {
	c, err := g.config(p)
	if err != nil {
		return err
	}
	in, err := record.Read(cmd.Context(), input)
	if err != nil {
		if c := (*record.Crash)(nil); g.Verbose && errors.As(err, &c) {
			fmt.Fprintln(cmd.ErrOrStderr(), c.Stack)
		}
		return err
	}
	c.Done("read")
	c.Source = in.Source
	if c.Cut, err = g.peers(in, input); err != nil {
		return err
	}
	if g.dump != "" {
		return g.print(cmd, in.Module, c)
	}
	home, err := g.home(&c, p)
	if err != nil {
		return err
	}
	if c.Cut == nil {
		c.Golden = project.TestData(input)
	}
	r, err := bbgen.Compile(in.Module, c)
	if err != nil {
		return err
	}
	if r.Program != nil && c.Cut.Split == nil {
		list, err := models.Of(r.Program, in.Dir, home.Dir)
		if err != nil {
			return err
		}
		r.Files = append(r.Files, list...)
	}
	if err := g.write(home, r.Files, p); err != nil {
		return err
	}
	p.Done()
	g.Warn(cmd.ErrOrStderr(), r)
	if r.Stages != nil && !g.Quiet {
		_, err = fmt.Fprint(cmd.OutOrStdout(), r.Stages)
	}
	return err
}

// config returns the configuration that is the same for all inputs.
func (g *generator) config(p *cli.Progress) (bbgen.Config, error) {
	c, err := g.Flags.Config(p)
	c.Package = g.Package
	switch {
	case err != nil:
	case g.Package != "" && (!token.IsIdentifier(g.Package) || g.Package == "main"):
		err = cli.Usagef("--package is %q, want the name of a Go package other than main", g.Package)
	case g.dump != "" && !slices.Contains(bbgen.Stages(), g.dump):
		err = cli.Usagef("--dump: there is no stage %q; there are: %s", g.dump, strings.Join(bbgen.Stages(), ", "))
	}
	return c, err
}

// peers returns how an input is divided among peers, or nil if it is not.
func (g *generator) peers(in *record.Input, input string) (*bbgen.Cut, error) {
	split, err := g.cut.Split()
	if err != nil {
		return nil, err
	}
	program := artifact.IsProgram(in.Module)
	switch {
	case split == nil && !program:
		return nil, g.inOnePiece(input)
	case split != nil && len(g.joins) > 0:
		return nil, cli.Usagef("--join: stages that one peer runs together are one stage: ask for fewer with --split")
	case g.Package != "" || g.Verbs != (codegen.Verbs{}) || g.Weights != "embed":
		return nil, cli.Usagef("--package, --serve, --pprof and --weights are for a model in one piece: each class of peers has a package and a program of its own")
	}
	cut := &bbgen.Cut{Dir: in.Dir, Split: split, Check: cut.All(g.limit.Guard(input, in.Dir, &g.cut), g.privacy.Guard(input, g.limit.Peers)), Unbound: g.dump != "" && !slices.Contains([]string{"bind", "plan", "print"}, g.dump)}
	for _, s := range g.joins {
		cut.Joins = append(cut.Joins, strings.Split(s, "+"))
	}
	return cut, nil
}

// inOnePiece returns an error for flags that do not apply to a plain model.
func (g *generator) inOnePiece(input string) error {
	switch {
	case len(g.joins) > 0:
		return cli.Usagef("--join is for classes of a distributed program: %s is a plain model, which one peer runs", input)
	case g.host != "":
		return cli.Usagef("--host is for peers that talk to each other: %s is a plain model, which one peer runs", input)
	case len(g.limit.Peers) > 0:
		return cli.Usagef("--peers is for a distributed program: %s is a plain model, which one peer runs", input)
	case g.limit.Most > 0:
		return cli.Usagef("--limit is for what goes over a network: %s is a plain model, which one peer runs", input)
	case g.privacy.Most > 0:
		return cli.Usagef("--epsilon is for what peers show of each other: %s is a plain model, which one peer runs", input)
	case g.dump == "partition":
		return cut.NotCut(input)
	}
	return nil
}

// home returns the module for the files, and sets the networks of peers.
func (g *generator) home(c *bbgen.Config, p *cli.Progress) (project.Home, error) {
	home, err := project.Find(g.out)
	if err != nil {
		return home, err
	}
	c.Import = home.Import
	if c.Cut == nil {
		return home, nil
	}
	hosts, note, err := home.Network(g.host)
	if note != "" {
		p.Note(note)
	}
	if err != nil {
		return home, cli.Usagef("--host: %v", err)
	}
	c.Hosts = hosts
	return home, nil
}

// write writes the files to their folders.
func (g *generator) write(home project.Home, files []codegen.File, p *cli.Progress) error {
	p.Stage("writing %d files", len(files))
	if err := project.Write(home, files); err != nil {
		return err
	}
	if g.Package != "" && home.Own && home.Around != "" {
		p.Note(fmt.Sprintf("%s is a module of its own, which %s cannot import, as that does not require bbgen: run \"go get %s\" there, or \"bbgen init\", and generate again", g.out, home.Around, project.Module))
	}
	if home.Workspace != "" {
		p.Note(fmt.Sprintf("%s is a module of its own, outside of the workspace of %s: build it with GOWORK=off go build", g.out, home.Workspace))
	}
	return nil
}

// print prints the result of a stage.
func (g *generator) print(cmd *cobra.Command, m *ir.Module, c bbgen.Config) error {
	c.Until = g.dump
	if err := kernels.CheckDump(c); err != nil {
		return err
	}
	r, err := bbgen.Compile(m, c)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if r.Stages != nil && r.Program != nil {
		fmt.Fprintln(w, r.Stages)
	}
	_, err = fmt.Fprint(w, r.Text())
	return err
}
