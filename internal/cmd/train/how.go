package train

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/kernels"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// how holds the flags for the compilation; the other flags are passed to the peer.
type how struct {
	kernels             kernels.Flags
	loss, optimizer     string
	settings            []string // of the optimizer
	groups              []string
	classWeights        string
	freeze, train       []string
	reduction           string
	smoothing           float64
	ignore, axis        int
	delta, margin       float64
	gamma, alpha        float64
	soft                bool
	blank               int
	batchFirst, fitting bool
	clipNorm, clipValue float64
	accumulate          int
	average             float64
	memory              cli.Bytes
	precision, scale    string
	bind                map[string]int
}

// completeHow completes the values of the flags that add declares.
func completeHow(cmd *cobra.Command) {
	cli.Complete(cmd, "optimizer", train.OptimizerNames()...)
	cli.Complete(cmd, "precision", "float32", "bfloat16", "float16")
	completeLoss(cmd)
}

// completeLoss completes the values of the flags that addLoss declares.
func completeLoss(cmd *cobra.Command) {
	cli.Complete(cmd, "loss", train.LossNames()...)
	cli.Complete(cmd, "reduction", "mean", "sum", "none")
}

// addLoss declares the flags of the loss.
func (h *how) addLoss(f *pflag.FlagSet) {
	f.StringVar(&h.loss, "loss", "cross_entropy", "the `name` of what to make small: "+strings.Join(train.LossNames(), ", "))
	f.StringVar(&h.reduction, "reduction", "mean", "the `name` of what becomes of the losses: mean, sum, or none; with none a target \"weight\" has a factor for each loss")
	f.BoolVar(&h.soft, "soft", false, "targets are probabilities of the classes")
	f.Float64Var(&h.smoothing, "smoothing", 0, "the part of a target that goes to all classes alike")
	f.IntVar(&h.axis, "class-axis", 1, "where the classes stand in the output, -1 for last")
	f.IntVar(&h.ignore, "ignore", -100, "the class that does not count")
	f.StringVar(&h.classWeights, "class-weights", "", "the classes' `weights`, as in 1,2,0.5")
	f.Float64Var(&h.delta, "delta", 0, "where the square of huber and smooth_l1 ends (default 1)")
	f.Float64Var(&h.margin, "margin", 0, "of cosine, triplet, margin_ranking, hinge and squared_hinge (default 1 of triplet and the hinges)")
	f.Float64Var(&h.gamma, "gamma", 0, "focal: how little counts what is right already (default 2)")
	f.Float64Var(&h.alpha, "alpha", 0, "focal: the weight of what is 1, as what is 0 has the rest; below 0 there are none (default 0.25)")
	f.IntVar(&h.blank, "blank", 0, "ctc: the class that stands for no label")
	f.BoolVar(&h.batchFirst, "batch-first", false, "ctc: the output is [batch, time, classes], not [time, batch, classes]")
	f.BoolVar(&h.fitting, "zero-infinity", false, "ctc: labels that do not fit into their time count for nothing")
	cli.Bind(f, &h.bind)
}

// add declares the flags.
func (h *how) add(f *pflag.FlagSet) {
	h.addLoss(f)
	f.StringVar(&h.optimizer, "optimizer", "adamw", "the optimizer's `name`: "+strings.Join(train.OptimizerNames(), ", "))
	f.StringSliceVar(&h.settings, "set", nil, "`settings` of the optimizer, as in decay=0.1,beta2=0.95")
	f.StringArrayVar(&h.groups, "group", nil, "weights that are treated otherwise, a `pattern` and how, as in '*.bias:decay=0,rate=1'; the first that fits counts")
	f.StringSliceVar(&h.freeze, "freeze", nil, "`patterns` of the names of weights that stay as they are")
	f.StringSliceVar(&h.train, "train", nil, "`patterns` of the names of scalars that are trained, too")
	f.Float64Var(&h.clipNorm, "clip-norm", 0, "scale the gradients down to this norm")
	f.Float64Var(&h.clipValue, "clip-value", 0, "cut each gradient at this value")
	f.IntVar(&h.accumulate, "accumulate", 1, "make one update of so many batches")
	f.Float64Var(&h.average, "average", 0, "export a running average of the weights that keeps this part at each update, as in 0.999")
	f.StringVar(&h.precision, "precision", "float32", "the `type` in which values are kept that the backward pass reads: float32, bfloat16 or float16; arithmetic, weights and the optimizer are float32")
	f.StringVar(&h.scale, "loss-scale", "", "a `factor` of the loss that keeps small gradients, dynamic, or none (default dynamic with float16)")
	f.Var(&h.memory, "memory", "what the values of a step may take, as in 200MB; what does not fit is computed again")
}

// options checks the flags. Without a loss and an optimizer, a model with its own training algorithm uses
// that.
func (h *how) options(cmd *cobra.Command, m *ir.Module) (train.Options, error) {
	if f := cmd.Flags(); train.HasAlgorithm(m) && !f.Changed("loss") && !f.Changed("optimizer") {
		return h.algorithm(cmd)
	}
	o := train.Options{
		Loss: train.Loss{
			Name: h.loss, Axis: h.axis, Reduction: h.reduction, Soft: h.soft, Smoothing: h.smoothing, Delta: h.delta, Margin: h.margin, Gamma: h.gamma, Alpha: h.alpha,
			Blank: h.blank, BatchFirst: h.batchFirst, ZeroInfinity: h.fitting,
		},
		Freeze: h.freeze, Train: h.train,
		ClipNorm: h.clipNorm, ClipValue: h.clipValue, Accumulate: h.accumulate, Average: h.average,
		Memory: int(min(h.memory, math.MaxInt)),
	}
	if cmd.Flags().Changed("ignore") {
		o.Loss.Ignore = &h.ignore
	}
	if h.classWeights != "" {
		for s := range strings.SplitSeq(h.classWeights, ",") {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return o, cli.Usagef("--class-weights: %q is no number", s)
			}
			o.Loss.Weights = append(o.Loss.Weights, v)
		}
	}
	if err := h.readPrecision(&o); err != nil {
		return o, err
	}
	var err error
	if o.Optimizer, err = train.NewOptimizer(h.optimizer); err != nil {
		return o, cli.Usagef("--optimizer: %w", err)
	}
	if err := set(optimizerSettings(&o.Optimizer), h.settings); err != nil {
		return o, cli.Usagef("--set: %w", err)
	}
	for _, text := range h.groups {
		pattern, list, _ := strings.Cut(text, ":")
		g := train.Group{Match: []string{pattern}, Decay: o.Optimizer.Decay, Rate: 1}
		if err := set(map[string]any{"decay": &g.Decay, "rate": &g.Rate}, strings.Split(list, ",")); err != nil {
			return o, cli.Usagef("--group %s: %w", pattern, err)
		}
		o.Groups = append(o.Groups, g)
	}
	return o, nil
}

// readPrecision sets how values are stored, and the loss scale.
func (h *how) readPrecision(o *train.Options) error {
	precisions := map[string]tensor.DType{"float32": tensor.Float32, "bfloat16": tensor.BFloat16, "float16": tensor.Float16}
	elem, ok := precisions[h.precision]
	if !ok {
		return cli.Usagef("--precision is %q, want float32, bfloat16 or float16", h.precision)
	}
	o.Precision = elem
	switch {
	case h.scale == "dynamic" || h.scale == "" && elem == tensor.Float16:
		o.Scale = train.DynamicScale
	case h.scale != "" && h.scale != "none":
		v, err := strconv.ParseFloat(h.scale, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return cli.Usagef("--loss-scale is %q, want a number above 0, dynamic or none", h.scale)
		}
		o.Scale.First = v
	}
	return nil
}

// algorithm returns the options for a model with its own training algorithm, which excludes most flags.
func (h *how) algorithm(cmd *cobra.Command) (o train.Options, err error) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(how).add(own)
	own.VisitAll(func(f *pflag.Flag) {
		if cmd.Flags().Changed(f.Name) && f.Name != "bind" && f.Name != "memory" {
			err = cli.Usagef("--%s does not go with the model's own training algorithm: give --loss and --optimizer to train it otherwise", f.Name)
		}
	})
	o.Memory = int(min(h.memory, math.MaxInt))
	return o, err
}

// optimizerSettings returns pointers to an optimizer's settings by name.
func optimizerSettings(o *train.Optimizer) map[string]any {
	return map[string]any{
		"amsgrad": &o.AMSGrad, "beta1": &o.Beta1, "beta2": &o.Beta2, "centered": &o.Centered,
		"dampening": &o.Dampening, "decay": &o.Decay, "epsilon": &o.Epsilon, "initial": &o.Initial,
		"maximize": &o.Maximize, "momentum": &o.Momentum, "nesterov": &o.Nesterov, "rate_decay": &o.RateDecay,
	}
}

// set assigns values to settings, which are numbers and booleans.
func set(known map[string]any, list []string) error {
	for _, text := range list {
		name, value, given := strings.Cut(text, "=")
		switch to := known[name].(type) {
		case *float64:
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return fmt.Errorf("%s is %q, want a number", name, value)
			}
			*to = v
		case *bool:
			v, err := strconv.ParseBool(value)
			if given && err != nil {
				return fmt.Errorf("%s is %q, want true or false", name, value)
			}
			*to = v || !given
		default:
			return fmt.Errorf("there is no setting %q; there are: %s", name, names(known))
		}
	}
	return nil
}
