package train

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// Prepare makes a model ready to be cut into stages that are trained: sizes are inferred, and everything is computed that
// depends on no input and no weight. It returns the initializers that training changes: weights, and statistics such as
// running means. These remain initializers, and the metadata name all others as fixed. It rewrites m.
func Prepare(m *ir.Module, opt Options) (weights, statistics []*ir.Value, err error) {
	if err := opt.check(); err != nil {
		return nil, nil, err
	}
	if err := opt.checkStages(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.File, err)
	}
	m.Training = nil
	if err := run(m, pass.Inline); err != nil {
		return nil, nil, err
	}
	if err := findStates(m, &opt); err != nil {
		return nil, nil, err
	}
	if err := run(m, pass.Infer, pass.Gradient, pass.Fold, pass.DCE); err != nil {
		return nil, nil, err
	}
	for _, st := range slices.Clone(m.Main.State) {
		if st.Kind == ir.Parameter {
			weights = append(weights, st.Param)
		} else {
			statistics = append(statistics, st.Param)
		}
		settle(m, st)
	}
	trains := false
	var fixed []string
	for _, v := range m.Main.Consts() {
		trains = trains || slices.Contains(weights, v)
		if !slices.Contains(weights, v) && !slices.Contains(statistics, v) {
			fixed = append(fixed, v.Name)
		}
	}
	if !trains {
		return nil, nil, fmt.Errorf("%s: there is nothing to train: no operator reads a float initializer", m.File)
	}
	return weights, statistics, freeze(m, fixed)
}

// freeze sets the metadata that name the initializers that training does not change.
func freeze(m *ir.Module, names []string) error {
	b, err := json.Marshal(names)
	if err != nil {
		return err
	}
	m.Meta = slices.DeleteFunc(slices.Clone(m.Meta), func(kv ir.Metadata) bool { return kv.Key == keys.Frozen })
	m.Meta = append(m.Meta, ir.Metadata{Key: keys.Frozen, Value: string(b)})
	return nil
}

// checkStages returns an error for options that need the gradients of all stages at once.
func (o *Options) checkStages() error {
	switch {
	case o.Loss.Name == "" || o.Optimizer.Name == "":
		return fmt.Errorf("stages are trained with a loss and an optimizer, not by the model's own training algorithm: give --loss and --optimizer")
	case o.Scale.First != 0:
		return fmt.Errorf("a loss scale is one for all stages, which compute in processes of their own: train with stages in float32 or bfloat16, without a loss scale")
	case o.ClipNorm > 0 && o.Accumulate > 1:
		return fmt.Errorf("stages clip the gradients of a step by their norm, not sums over %d steps: give more micro-batches instead of accumulating", o.Accumulate)
	case o.Memory > 0:
		return fmt.Errorf("stages hold the values of one micro-batch, and compute them again for each: give more micro-batches instead of a limit of memory")
	case o.Loss.Reduction == "sum":
		return fmt.Errorf("the losses of micro-batches are averaged, so that their sum cannot be the loss: want the reduction mean, and a larger learning rate")
	}
	return nil
}

// Stage returns the options for one of several stages, whose model is m. Only the last one has the loss. Each of the
// others takes the gradients of its outputs, and each except the first returns the gradients of its inputs. All
// steps are split, and none clips by the norm, which is one for all stages.
func (o Options) Stage(m *ir.Module, stage, stages int) Options {
	o.Split, o.ClipNorm = true, 0
	o.InputGradients = stage > 0
	if stage < stages-1 {
		o.Loss, o.Backward = Loss{}, true
	}
	there := func(patterns []string) (list []string) {
		for _, p := range patterns {
			if slices.ContainsFunc(m.Main.Consts(), func(v *ir.Value) bool { return matches([]string{p}, v.Name) }) {
				list = append(list, p)
			}
		}
		return list
	}
	o.Freeze, o.Train = there(o.Freeze), there(o.Train)
	groups := o.Groups
	o.Groups = nil
	for _, g := range groups {
		if g.Match = there(g.Match); len(g.Match) > 0 {
			o.Groups = append(o.Groups, g)
		}
	}
	return o
}
