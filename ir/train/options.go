package train

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Options are the options of training. Without the names of a loss and an optimizer, the model is trained as
// its file specifies.
type Options struct {
	Loss      Loss
	Optimizer Optimizer

	// Groups have different settings for some parameters; the first match counts.
	Groups []Group

	// Freeze and Train are patterns of names, as for [path.Match]. Initializers that match Freeze do not
	// change. Scalars are only trained if they match Train.
	Freeze, Train []string

	// Backward makes a step of a part of a network without a loss, which is on another peer: the gradients of
	// the outputs are targets, and Loss is unused.
	Backward bool

	// Split divides a step into two halves: the first computes the gradients of the parameters, and the
	// second updates with them. The gradients may be changed in between.
	Split bool

	// InputGradients makes a step return the gradients of the inputs that are floats.
	InputGradients bool

	ClipNorm   float64      // limit for the norm of all gradients together; 0: none
	ClipValue  float64      // limit for the absolute values in a gradient; 0: none
	Accumulate int          // number of steps for one update; 0 and 1: each
	Average    float64      // decay of the running average of the parameters; 0: no average
	Gradients  bool         // keep each parameter's gradient as a state
	Precision  tensor.DType // Float16 or BFloat16: type in which values for the backward pass are stored; otherwise their own
	Scale      LossScale
	Memory     int // limit for the bytes of a step's values; values beyond it are recomputed; 0: none
}

// Group is a group of parameters.
type Group struct {
	Match []string // patterns of names
	Decay float64  // weight decay
	Rate  float64  // factor of the learning rate; 0 is 1
}

// Optimizer configures the update of parameters. The defaults are PyTorch's, see [NewOptimizer].
type Optimizer struct {
	Name         string
	Rate         float64 // the default learning rate, without a schedule
	Momentum     float64
	Dampening    float64
	Beta1, Beta2 float64
	Epsilon      float64
	Decay        float64 // weight decay
	RateDecay    float64 // decay of the learning rate per step
	Initial      float64 // initial value of sums of squares
	Nesterov     bool
	Centered     bool
	AMSGrad      bool
	Maximize     bool // maximize instead of minimize
}

// optimizers maps names to optimizers with their defaults.
var optimizers = map[string]Optimizer{
	"adagrad": {Rate: 1e-2, Epsilon: 1e-10},
	"adam":    {Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
	"adamw":   {Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Decay: 1e-2},
	"lamb":    {Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-6},
	"lion":    {Rate: 1e-4, Beta1: 0.9, Beta2: 0.99},
	"muon":    {Rate: 1e-3, Momentum: 0.95, Nesterov: true, Epsilon: 1e-7, Decay: 0.1},
	"rmsprop": {Rate: 1e-2, Beta2: 0.99, Epsilon: 1e-8},
	"sgd":     {Rate: 1e-3},
}

// OptimizerNames returns the names that [NewOptimizer] accepts.
func OptimizerNames() []string {
	return append(slices.Sorted(maps.Keys(optimizers)), "momentum", "nesterov")
}

// NewOptimizer returns the optimizer with the given name and its defaults. The names momentum and nesterov
// select sgd with these options.
func NewOptimizer(name string) (Optimizer, error) {
	kind, o := name, Optimizer{}
	switch name {
	case "momentum":
		kind, o.Momentum = "sgd", 0.9
	case "nesterov":
		kind, o.Momentum, o.Nesterov = "sgd", 0.9, true
	}
	d, ok := optimizers[kind]
	if !ok {
		return o, fmt.Errorf("no optimizer %q; there are: %s", name, strings.Join(OptimizerNames(), ", "))
	}
	if kind == "sgd" {
		d.Momentum, d.Nesterov = o.Momentum, o.Nesterov
	}
	d.Name = kind
	return d, nil
}

// group returns the group of a parameter.
func (o *Options) group(name string) Group {
	for _, g := range o.Groups {
		if matches(g.Match, name) {
			if g.Rate == 0 {
				g.Rate = 1
			}
			return g
		}
	}
	return Group{Decay: o.Optimizer.Decay, Rate: 1}
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}

// check reports invalid patterns and contradictory settings.
func (o *Options) check() error {
	all := slices.Concat(o.Freeze, o.Train)
	for _, g := range o.Groups {
		all = append(all, g.Match...)
	}
	for _, p := range all {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("pattern %q: %w", p, err)
		}
	}
	if _, ok := optimizers[o.Optimizer.Name]; !ok {
		_, err := NewOptimizer(o.Optimizer.Name)
		return err
	}
	if o.Backward && o.Loss.Name != "" {
		return fmt.Errorf("the loss is %s, and the gradient of the output is given, too: want one of them", o.Loss.Name)
	}
	if o.Backward && o.Memory > 0 {
		return fmt.Errorf("a limit of memory needs a loss, which separates the forward from the backward pass: leave out the limit, or give a loss")
	}
	if x := o.Optimizer; x.Nesterov && (x.Momentum <= 0 || x.Dampening != 0) {
		return fmt.Errorf("nesterov needs a momentum above 0 and no dampening, got %v and %v", x.Momentum, x.Dampening)
	}
	if o.Gradients && o.Split {
		return fmt.Errorf("gradients are kept between the halves of a split step anyway: want one of both")
	}
	if o.Average < 0 || o.Average >= 1 {
		return fmt.Errorf("average is %v, want at least 0 and less than 1", o.Average)
	}
	switch o.Precision {
	case tensor.Undefined, tensor.Float32, tensor.Float16, tensor.BFloat16:
	default:
		return fmt.Errorf("precision is %s, want float32, float16 or bfloat16", o.Precision)
	}
	if x := o.Scale; !(x.First >= 0) || math.IsInf(x.First, 1) || x.Every < 0 {
		return fmt.Errorf("the loss scale begins at %v and doubles every %d updates, want numbers of 0 and more", x.First, x.Every)
	}
	return nil
}
