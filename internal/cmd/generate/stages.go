package generate

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// writeStages writes the peers of a plain model that is cut into stages, and
// prints the cut.
func (g *generator) writeStages(cmd *cobra.Command, input string, split *partitioner.SplitOptions, opt project.Options, p *cli.Progress) error {
	if err := g.inPieces(opt); err != nil {
		return err
	}
	if len(g.joins) > 0 {
		return cli.Usagef("--join: stages that one peer runs together are one stage: ask for fewer with --split")
	}
	m, err := onnx.ReadFile(input)
	if err != nil {
		return err
	}
	home, hosts, err := g.network(p)
	if err != nil {
		return err
	}
	if err := pass.Bind(m, opt.Bind); err != nil {
		return err
	}
	var table *partitioner.Stages
	files, err := project.CompileProgram(m, home, project.ProgramOptions{
		Source: filepath.Base(input), Dir: filepath.Dir(input), Hosts: hosts, Cut: g.limit.Guard(input, filepath.Dir(input), &g.cut), Stage: opt.Stage,
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
