package train

import (
	"encoding/json"
	"fmt"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir/onnx"
)

// printPlan prints how a step of training uses memory.
func (j *job) printPlan(model string, asJSON bool) error {
	m, err := onnx.ReadFile(model)
	if err != nil {
		return err
	}
	opt, err := j.how.options(j.cmd, m)
	if err != nil {
		return err
	}
	t, err := bbgen.PlanTrainer(m, opt, bbgen.Options{Bind: j.how.bind, Recomputed: j.recomputed})
	if err != nil {
		return err
	}
	j.progress.Done()
	if asJSON {
		e := json.NewEncoder(j.cmd.OutOrStdout())
		e.SetIndent("", "  ")
		return e.Encode(t.Step.Memory())
	}
	_, err = fmt.Fprint(j.cmd.OutOrStdout(), t.Step.Memory())
	return err
}
