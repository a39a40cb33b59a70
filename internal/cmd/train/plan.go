package train

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/ir/onnx"
)

// dumps returns the stages of a training with printable results.
func dumps() []string {
	return slices.DeleteFunc(bbgen.Stages(), func(s string) bool {
		return slices.Contains([]string{"stages", "merge", "split", "bind", "partition", "print"}, s)
	})
}

// print prints the result of a stage.
func (j *job) print(model, stage string) error {
	if !slices.Contains(dumps(), stage) {
		return cli.Usagef("--dump: there is no stage %q; there are: %s", stage, strings.Join(dumps(), ", "))
	}
	m, err := onnx.ReadFile(model)
	if err != nil {
		return err
	}
	opt, err := j.how.options(j.cmd, m)
	if err != nil {
		return err
	}
	r, err := bbgen.Compile(m, bbgen.Config{Bind: j.how.bind, Train: &opt, Until: stage})
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(j.cmd.OutOrStdout(), r.Text())
	return err
}

// printPlan prints the use of memory by a training step.
func (j *job) printPlan(model string, asJSON bool) error {
	m, err := onnx.ReadFile(model)
	if err != nil {
		return err
	}
	opt, err := j.how.options(j.cmd, m)
	if err != nil {
		return err
	}
	r, err := bbgen.Compile(m, bbgen.Config{Bind: j.how.bind, Train: &opt, Until: "plan"})
	if err != nil {
		return err
	}
	j.tellRecomputed(r)
	j.progress.Done()
	if asJSON {
		e := json.NewEncoder(j.cmd.OutOrStdout())
		e.SetIndent("", "  ")
		return e.Encode(r.Trainer.Step.Memory())
	}
	_, err = fmt.Fprint(j.cmd.OutOrStdout(), r.Trainer.Step.Memory())
	return err
}
