package generate

import (
	"strings"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// network is where peers go, and what they talk over.
func network(dir, host string, p *cli.Progress) (project.Home, []string, error) {
	home, err := project.Find(dir)
	if err != nil {
		return home, nil, err
	}
	hosts, note, err := home.Network(host)
	if note != "" {
		p.Note(note)
	}
	if err != nil {
		return home, nil, cli.Usagef("--host: %v", err)
	}
	return home, hosts, nil
}

// writeProgram writes the peers of a distributed program.
func writeProgram(in *record.Input, dir, host string, joins []string, guard func(*partitioner.Program) error, opt project.Options, p *cli.Progress) error {
	if opt.Package != "" || opt.Verbs != (codegen.Verbs{}) || opt.Sidecar || opt.Choices.Level != "" || opt.Choices.Tuned != nil {
		return cli.Usagef("--package, --serve, --pprof, --cpu, --tune and --weights are for models: each class of a program has a package and a program of its own")
	}
	home, hosts, err := network(dir, host, p)
	if err != nil {
		return err
	}
	if err := pass.Bind(in.Module, opt.Bind); err != nil {
		return err
	}
	var together [][]string
	for _, s := range joins {
		together = append(together, strings.Split(s, "+"))
	}
	files, err := project.CompileProgram(in.Module, home, project.ProgramOptions{Source: in.Source, Dir: in.Dir, Hosts: hosts, Joins: together, Cut: guard, Stage: opt.Stage})
	if err != nil {
		return err
	}
	p.Stage("writing %d files", len(files))
	return project.Write(home.Dir, files)
}
