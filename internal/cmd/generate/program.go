package generate

import (
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/ir/pass"
)

// writeProgram writes the peers of a distributed program.
func writeProgram(in *record.Input, dir, host string, opt project.Options, p *cli.Progress) error {
	if opt.Package != "" || opt.Serve || opt.Sidecar {
		return cli.Usagef("--package, --serve and --weights are for models: each class of a program has a package and a program of its own")
	}
	home, err := project.Find(dir)
	if err != nil {
		return err
	}
	if err := pass.Bind(in.Module, opt.Bind); err != nil {
		return err
	}
	files, err := project.CompileProgram(in.Module, home, project.ProgramOptions{Source: in.Source, Dir: in.Dir, Host: host, Stage: opt.Stage})
	if err != nil {
		return err
	}
	p.Stage("writing %d files", len(files))
	return project.Write(home.Dir, files)
}
