package generate

import (
	"strings"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/ir/pass"
)

// network is where peers go, and what they talk over.
func (g *generator) network(p *cli.Progress) (project.Home, []string, error) {
	home, err := project.Find(g.out)
	if err != nil {
		return home, nil, err
	}
	hosts, note, err := home.Network(g.host)
	if note != "" {
		p.Note(note)
	}
	if err != nil {
		return home, nil, cli.Usagef("--host: %v", err)
	}
	return home, hosts, nil
}

// inPieces says which flags have no meaning where several peers run what is
// compiled.
func (g *generator) inPieces(opt project.Options) error {
	if opt.Package != "" || opt.Verbs != (codegen.Verbs{}) || opt.Sidecar || opt.NoWinograd || g.CPU != "" || g.Tune != "" {
		return cli.Usagef("--package, --serve, --pprof, --weights, --no-winograd, --cpu and --tune are for a model in one piece: each class of peers has a package and a program of its own")
	}
	return nil
}

// writeProgram writes the peers of a distributed program.
func (g *generator) writeProgram(input string, in *record.Input, opt project.Options, p *cli.Progress) error {
	if err := g.inPieces(opt); err != nil {
		return err
	}
	home, hosts, err := g.network(p)
	if err != nil {
		return err
	}
	if err := pass.Bind(in.Module, opt.Bind); err != nil {
		return err
	}
	var together [][]string
	for _, s := range g.joins {
		together = append(together, strings.Split(s, "+"))
	}
	files, err := project.CompileProgram(in.Module, home, project.ProgramOptions{
		Source: in.Source, Dir: in.Dir, Hosts: hosts, Joins: together, Cut: g.limit.Guard(input, in.Dir, &g.cut), Stage: opt.Stage,
	})
	if err != nil {
		return err
	}
	p.Stage("writing %d files", len(files))
	return project.Write(home.Dir, files)
}
