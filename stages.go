package bbgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/internal/bind"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/engine"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/precision"
	"github.com/bbgen/bbgen/ir/recompute"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// stage is a part of a compilation.
type stage struct {
	names []string // one, except for the stage that runs passes, which has one for each
	when  func(*compilation) bool
	run   func(*compilation) error
}

// stages returns all stages of a compilation, in order.
func stages() []stage {
	return []stage{
		{[]string{"import"}, always, (*compilation).fixSizes},
		{[]string{"stages"}, staged, (*compilation).compileStages},
		{[]string{"train"}, trained, (*compilation).addTraining},
		{passNames(), unstaged, (*compilation).rewrite},
		{[]string{"bind"}, bound, (*compilation).loadComponents},
		{[]string{"partition"}, cut, (*compilation).cut},
		{[]string{"plan"}, planned, (*compilation).place},
		{[]string{"print"}, planned, (*compilation).print},
	}
}

func always(*compilation) bool     { return true }
func staged(c *compilation) bool   { return c.Train != nil && c.Cut != nil && c.Cut.Split != nil }
func unstaged(c *compilation) bool { return !staged(c) }
func trained(c *compilation) bool  { return c.Train != nil && unstaged(c) }
func cut(c *compilation) bool      { return c.Cut != nil && unstaged(c) }
func bound(c *compilation) bool    { return cut(c) && !c.Cut.Unbound }
func planned(c *compilation) bool  { return c.Cut == nil || bound(c) }

// passNames returns the names of all passes, in order.
func passNames() []string {
	return append(pass.Names(pass.Pipeline), "precision", "recompute", "merge", "split")
}

// compilation is the state of [Compile].
type compilation struct {
	Config
	*Result
	types   *bind.Types    // what is bound to the slots of a program
	trainer *train.Program // the graphs of the trainer, or nil
	slot    bool           // the trainer is for a slot of a peer
}

// names returns the names of the stages that the compilation has.
func (c *compilation) names() []string {
	var names []string
	for _, s := range stages() {
		switch {
		case !s.when(c):
		case len(s.names) == 1:
			names = append(names, s.names...)
		default:
			names = append(names, pass.Names(c.passes(c.Train != nil))...)
		}
	}
	if staged(c) { // each stage of the pipeline is compiled like a trainer of its own
		names = append(names, Config{Train: c.Train}.StageNames()[1:]...)
	}
	return names
}

// checkUntil returns an error if the compilation does not have the stage that is to be the last.
func (c *compilation) checkUntil() error {
	switch all := Stages(); {
	case c.Until == "" || slices.Contains(c.names(), c.Until):
		return nil
	case !slices.Contains(all, c.Until):
		return fmt.Errorf("there is no stage %q; there are: %s", c.Until, strings.Join(all, ", "))
	}
	return fmt.Errorf("this compilation has no stage %q; it has: %s", c.Until, strings.Join(c.names(), ", "))
}

// run runs the stages up to the last one requested.
func (c *compilation) run() error {
	if err := c.checkUntil(); err != nil {
		return err
	}
	for _, s := range stages() {
		if s.when(c) {
			if err := s.run(c); err != nil {
				return err
			}
			if len(s.names) == 1 {
				c.verify(s.names[0])
				c.done(s.names[0], c.Modules...)
			}
		}
		if c.Until != "" && slices.Contains(s.names, c.Until) {
			return nil
		}
	}
	return nil
}

// verify panics if a stage has left a graph that is not well-formed, as [pass.Run] does after a pass.
func (c *compilation) verify(stage string) {
	for _, m := range c.Modules {
		if err := ir.Verify(m); err != nil {
			panic(fmt.Sprintf("BUG: after stage %s: %v", stage, err))
		}
	}
}

// done reports that a stage has ended, with the graphs that it leaves.
func (c *compilation) done(name string, graphs ...*ir.Module) {
	if c.Done != nil {
		c.Done(name)
	}
	if c.Watch == nil {
		return
	}
	for _, m := range graphs {
		c.Watch(name, m)
	}
}

// fixSizes binds symbolic dimensions to the requested sizes. Every stage relies on a graph that is well-formed: one that is
// not is a mistake of the caller here, and a fault of this compiler after any stage.
func (c *compilation) fixSizes() error {
	m := c.Modules[0]
	if err := ir.Verify(m); err != nil {
		return fmt.Errorf("%s: %w", m.File, err)
	}
	return pass.Bind(m, c.Bind)
}

// addTraining replaces a model by the graphs of its trainer. It is one stage, although some passes run in it, which are
// verified like all others: they bring the model into the form in which it is differentiated, so that parameters are
// constants before some of them and states after. The pipeline runs the same passes over all graphs of the trainer, and a
// stage is one point of a compilation: [Config.Until] could not say which of the two is meant.
func (c *compilation) addTraining() error {
	p, err := train.Build(c.Modules[0], *c.Train)
	if err != nil {
		return err
	}
	c.trainer, c.Warnings = p, p.Warnings
	c.Modules = []*ir.Module{p.Step, p.Eval}
	for _, m := range []*ir.Module{p.Update, p.Forward} {
		if m != nil {
			c.Modules = append(c.Modules, m)
		}
	}
	return nil
}

// rewrite runs all passes over all graphs.
func (c *compilation) rewrite() error {
	for _, m := range c.Modules {
		ctx := pass.NewContext(m, c.Options)
		ctx.Done = func(pass string) { c.done(pass, m) }
		err := pass.Run(m, pass.Until(c.passes(c.trainer != nil && m == c.trainer.Step), c.Until), ctx)
		if err != nil {
			return err
		}
		c.Choices = append(c.Choices, ctx.Choices...)
		c.Stale = append(c.Stale, ctx.Stale...)
		c.Warnings = append(c.Warnings, ctx.Warnings...)
		if c.trainer == nil && len(ctx.Training) > 0 {
			c.Warnings = append(c.Warnings, trainsWarning(ctx.Training))
		}
		c.Convs += ctx.Convs
	}
	return nil
}

// takeWarnings adds what another compilation, of one part of this one, has found odd.
func (c *compilation) takeWarnings(part string, w *compilation) {
	for _, text := range w.Warnings {
		c.Warnings = append(c.Warnings, part+": "+text)
	}
	c.Stale = append(c.Stale, w.Stale...)
}

// trainsWarning warns of nodes of a model for inference that compute as in training.
func trainsWarning(nodes []string) string {
	which := nodes[0] + " computes"
	if len(nodes) > 1 {
		which = fmt.Sprintf("%s and %d more compute", nodes[0], len(nodes)-1)
	}
	return which + " as in training, where Dropout drops elements at random and BatchNormalization uses the statistics of the batch: bbgen export MODEL --inference -o FILE writes the model for inference"
}

// passes returns the passes for a graph, which may be the step of a trainer.
func (c *compilation) passes(step bool) []*pass.Pass {
	list := slices.Clone(pass.Pipeline)
	if step {
		if e := c.Train.Precision; e == tensor.Float16 || e == tensor.BFloat16 {
			list = append(list, precision.Pass(e))
		}
		if c.Train.Memory > 0 {
			list = append(list, recompute.Pass(c.Train.Memory, c.arena, func(r *recompute.Report) { c.Recomputed = r }))
		}
	}
	if c.Cut == nil {
		return list
	}
	list = append(list, engine.Pass)
	if c.Cut.Split != nil {
		list = append(list, partitioner.SplitPass(*c.Cut.Split, func(s *partitioner.Stages) { c.Stages = s }))
	}
	return list
}

// arena returns the size in bytes of the arena for a function's values.
func (c *compilation) arena(f *ir.Func) (int, error) {
	p, err := plan.Make(f, c.For())
	if err != nil {
		return 0, err
	}
	return p.Arena, nil
}

// place decides which kernels compute the graphs, and where every value is stored.
func (c *compilation) place() error {
	if c.Program != nil {
		return c.placePeers()
	}
	plans := map[*ir.Module]*plan.Plan{}
	for _, m := range c.Modules {
		p, err := plan.Make(m.Main, c.For())
		if err != nil {
			return fmt.Errorf("%s: %w", m.File, err)
		}
		plans[m] = p
	}
	if c.trainer == nil {
		c.Plan = plans[c.Modules[0]]
		return nil
	}
	p := c.trainer
	c.Trainer = &codegen.Trainer{
		Module: p.Step, Step: plans[p.Step], Update: plans[p.Update], Eval: plans[p.Eval], Forward: plans[p.Forward], Each: p.Each, Targets: p.Targets, Ignored: p.Ignored, Gradients: p.Inputs, Loss: p.Loss,
		Optimizer: p.Optimizer, Rate: p.Rate, Accumulate: c.Train.Accumulate, Count: p.Count, Random: p.Random, Slot: c.slot,
	}
	return nil
}
