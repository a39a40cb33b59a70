package bbgen

import (
	"fmt"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/engine"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/precision"
	"github.com/bbgen/bbgen/ir/recompute"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Options say what is compiled how.
type Options struct {
	codegen.Options

	// Bind fixes symbolic dimensions: batch=1.
	Bind map[string]int

	// NoWinograd keeps convolutions from being computed by Winograd's
	// transforms, which are faster but round more.
	NoWinograd bool

	// Choices decide between ways to compute the same; nil goes by the cost model.
	Choices *pass.Choices

	// Stage is told the name of each stage as it ends; nil if nobody listens.
	Stage func(name string)

	// Recomputed is told what a limit of memory cost; nil if nobody listens.
	Recomputed func(r *recompute.Report)
}

// MaxEmbedded is how many bytes of weights go into a binary; more stay in a file
// beside it.
const MaxEmbedded = 1 << 30

// Compile turns a module into the files of a Go package. It rewrites m.
func Compile(m *ir.Module, opt Options) ([]codegen.File, error) {
	p, err := Plan(m, opt)
	if err != nil {
		return nil, err
	}
	if p.WeightBytes() > MaxEmbedded {
		opt.Sidecar = true
	}
	files, err := codegen.Generate(m, p, opt.Options)
	opt.stage("print")
	return files, err
}

// CompileTrainer turns a module into the files of a Go package that trains it.
// It rewrites m.
func CompileTrainer(m *ir.Module, how train.Options, opt Options) ([]codegen.File, error) {
	t, err := PlanTrainer(m, how, opt)
	if err != nil {
		return nil, err
	}
	files, err := codegen.GenerateTrainer(t, opt.Options)
	opt.stage("print")
	return files, err
}

// PlanTrainer is [CompileTrainer] up to the point where it is decided how the
// steps run.
func PlanTrainer(m *ir.Module, how train.Options, opt Options) (*codegen.Trainer, error) {
	if err := pass.Bind(m, opt.Bind); err != nil {
		return nil, err
	}
	opt.Bind = nil
	p, err := train.Build(m, how)
	if err != nil {
		return nil, err
	}
	opt.stage("train")
	t := &codegen.Trainer{
		Module: p.Step, Each: p.Each, Targets: p.Targets, Gradients: p.Inputs, Loss: p.Loss, Optimizer: p.Optimizer,
		Rate: p.Rate, Accumulate: how.Accumulate, Count: p.Count, Random: p.Random,
	}
	if t.Step, err = planStep(p.Step, how, opt); err != nil {
		return nil, err
	}
	if t.Eval, err = Plan(p.Eval, opt); err != nil {
		return nil, err
	}
	if p.Forward != nil {
		if t.Forward, err = Plan(p.Forward, opt); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// planStep plans a step of training.
func planStep(m *ir.Module, how train.Options, opt Options) (*plan.Plan, error) {
	if err := pass.Run(m, opt.passes(), opt.Stage); err != nil {
		return nil, err
	}
	if how.Precision == tensor.Float16 || how.Precision == tensor.BFloat16 {
		if err := precision.Store(m, how.Precision); err != nil {
			return nil, err
		}
		if err := pass.Run(m, []*pass.Pass{pass.DCE}, nil); err != nil {
			return nil, err
		}
		opt.stage("precision")
	}
	if how.Memory > 0 {
		r, err := recompute.Within(m, how.Memory, func(f *ir.Func) (int, error) {
			p, err := plan.Make(f)
			if err != nil {
				return 0, err
			}
			return p.Arena, nil
		})
		if err != nil {
			return nil, err
		}
		opt.stage("recompute")
		if opt.Recomputed != nil {
			opt.Recomputed(r)
		}
	}
	return place(m, opt)
}

// Plan is [Compile] up to the point where it is decided how the module runs.
func Plan(m *ir.Module, opt Options) (*plan.Plan, error) {
	if err := pass.Bind(m, opt.Bind); err != nil {
		return nil, err
	}
	if err := pass.Run(m, opt.passes(), opt.Stage); err != nil {
		return nil, err
	}
	return place(m, opt)
}

// passes are those of a compilation.
func (o Options) passes() []*pass.Pass {
	if o.NoWinograd {
		return pass.Without(pass.Winograd)
	}
	return o.Choices.Pipeline()
}

// place plans a module after all passes.
func place(m *ir.Module, opt Options) (*plan.Plan, error) {
	p, err := plan.Make(m.Main)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.File, err)
	}
	opt.stage("plan")
	return p, nil
}

// ProgramOptions say how a program becomes peers.
type ProgramOptions struct {
	Options
	Cut partitioner.Options

	// Split cuts a plain model into stages first; nil: the program says itself which
	// peers do what.
	Split *partitioner.SplitOptions

	// Table is told how the model was split; nil if nobody listens.
	Table func(*partitioner.Stages)
}

// CutProgram cuts a program at its network edges. It rewrites m.
func CutProgram(m *ir.Module, opt ProgramOptions) (*partitioner.Program, error) {
	if err := pass.Bind(m, opt.Bind); err != nil {
		return nil, err
	}
	if err := pass.Run(m, pass.Pipeline, opt.Stage); err != nil {
		return nil, err
	}
	if err := engine.Merge(m); err != nil {
		return nil, err
	}
	if opt.Split != nil {
		stages, err := partitioner.Split(m, *opt.Split)
		if err != nil {
			return nil, err
		}
		if opt.Table != nil {
			opt.Table(stages)
		}
		opt.stage("split")
	}
	p, err := partitioner.Make(m, opt.Cut)
	opt.stage("cut")
	return p, err
}

func (o Options) stage(name string) {
	if o.Stage != nil {
		o.Stage(name)
	}
}
