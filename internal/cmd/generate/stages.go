package generate

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cut"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// writeStages writes the peers of a plain model that is cut into stages, and
// prints the cut.
func writeStages(cmd *cobra.Command, input, dir, host string, flags *cut.Flags, guard func(*partitioner.Program) error, opt project.Options, p *cli.Progress) error {
	split, err := flags.Split()
	if err != nil {
		return err
	}
	home, hosts, err := network(dir, host, p)
	if err != nil {
		return err
	}
	m, err := onnx.ReadFile(input)
	if err != nil {
		return err
	}
	if err := pass.Bind(m, opt.Bind); err != nil {
		return err
	}
	var table *partitioner.Stages
	files, err := project.CompileProgram(m, home, project.ProgramOptions{
		Source: filepath.Base(input), Dir: filepath.Dir(input), Hosts: hosts, Cut: guard, Stage: opt.Stage,
		Split: func(m *ir.Module) (err error) {
			table, err = partitioner.Split(m, *split)
			return err
		},
	})
	if err != nil {
		return err
	}
	p.Stage("writing %d files", len(files))
	if err := project.Write(home.Dir, files); err != nil {
		return err
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), table)
	return err
}
