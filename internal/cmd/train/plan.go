package train

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/internal/cmd/kernels"
	"github.com/bbgen/bbgen/ir/onnx"
)

// dumps returns the stages of trainings, also of those in a pipeline.
func dumps() []string {
	return slices.DeleteFunc(bbgen.Stages(), func(s string) bool {
		return slices.Contains([]string{"merge", "split", "bind", "partition"}, s)
	})
}

// compile compiles a model to its trainer, or to those of its stages, up to a stage.
func (j *job) compile(model, until string) (*bbgen.Result, error) {
	m, err := onnx.ReadFile(model)
	if err != nil {
		return nil, err
	}
	c := bbgen.Config{Bind: j.how.bind, Cut: j.cut(), Until: until}
	if c.Options, err = j.how.kernels.Options(); err != nil {
		return nil, err
	}
	opt, err := j.how.options(j.cmd, m)
	if err != nil {
		return nil, err
	}
	c.Train = &opt
	if err := kernels.CheckDump(c); err != nil {
		return nil, err
	}
	return bbgen.Compile(m, c)
}

// print prints the result of a stage.
func (j *job) print(model, stage string) error {
	r, err := j.compile(model, stage)
	if err != nil {
		return err
	}
	j.tellStages(r)
	_, err = fmt.Fprint(j.cmd.OutOrStdout(), r.Text())
	return err
}

// printPlan prints the use of memory by a training step, or by those of all stages.
func (j *job) printPlan(model string, asJSON bool) error {
	r, err := j.compile(model, "plan")
	if err != nil {
		return err
	}
	j.tellStages(r)
	j.tellRecomputed(r)
	j.progress.Done()
	if !asJSON {
		_, err = fmt.Fprint(j.cmd.OutOrStdout(), r.Text())
		return err
	}
	e := json.NewEncoder(j.cmd.OutOrStdout())
	e.SetIndent("", "  ")
	if r.Parts == nil {
		return e.Encode(r.Trainer.Step.Memory())
	}
	var list []*plan.Memory
	for _, p := range r.Parts {
		list = append(list, p.Trainer.Step.Memory())
	}
	return e.Encode(list)
}
