package train

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Loss is the function that training minimizes. It compares the model's first output with targets, which
// become inputs of the step. Names and definitions are PyTorch's.
type Loss struct {
	// Name is cross_entropy, nll, mse, l1, huber, smooth_l1, bce, bce_logits, kl, hinge, squared_hinge,
	// focal, cosine, triplet, margin_ranking, ctc, or output for a model that returns its loss first.
	Name string

	// Reduction is mean, the default, sum, or none, and for kl also batchmean. With none, there is a loss for
	// each sample or element, and one more target, "weight", with a number for each. The step minimizes the
	// sum of their products, as PyTorch's backward(gradient=weight) does, and an evaluation returns the
	// losses themselves as its last output.
	Reduction string

	Targets   []string  // the names of the targets; default "target"
	Axis      int       // cross entropy, nll: the axis of the classes in the output, -1 for the last; 0 is 1, as in PyTorch
	Soft      bool      // cross entropy: the targets are probabilities of the classes
	Ignore    *int      // cross entropy, nll: the class to ignore
	Weights   []float64 // cross entropy, nll: weights of the classes
	Smoothing float64   // cross entropy: the part of each target that is distributed over all classes
	Delta     float64   // huber, smooth_l1: where the quadratic part ends; 0 is 1
	Margin    float64   // cosine, triplet, hinge, squared_hinge, margin_ranking; 0 is 1 for triplet and the hinges
	Gamma     float64   // focal: the exponent that reduces the weight of easy samples; 0 is 2
	Alpha     float64   // focal: the weight of targets 1, while targets 0 have 1-alpha; 0 is 0.25, and negative values disable it

	Blank        int  // ctc: the blank class
	BatchFirst   bool // ctc: the output is [batch, time, classes], not [time, batch, classes]
	ZeroInfinity bool // ctc: samples with too many labels for their time have no loss
}

// losses maps names to losses.
var losses = map[string]func(l *lossBuilder) (*ir.Value, error){
	"bce":            bce,
	"bce_logits":     bceLogits,
	"cosine":         cosine,
	"cross_entropy":  crossEntropy,
	"ctc":            ctc,
	"focal":          focal,
	"hinge":          hinge,
	"huber":          huber,
	"kl":             kl,
	"l1":             l1,
	"margin_ranking": marginRanking,
	"mse":            mse,
	"nll":            nll,
	"smooth_l1":      smoothL1,
	"squared_hinge":  squaredHinge,
	"triplet":        triplet,
}

// LossNames returns the names of the losses.
func LossNames() []string { return append(slices.Sorted(maps.Keys(losses)), "output") }

// lossBuilder builds the nodes of a loss.
type lossBuilder struct {
	*ir.Builder
	*Loss
	body *ir.Region
	x    *ir.Value // the model's first output
	used int       // number of targets added so far
}

// build adds the loss to the nodes. It returns the loss as one number, and the unreduced losses for the
// reduction none, or nil.
func (l *Loss) build(b *ir.Builder, body *ir.Region) (loss, each *ir.Value, err error) {
	x, f := body.Results[0], losses[l.Name]
	switch {
	case f == nil && l.Name != "output":
		return nil, nil, fmt.Errorf("no loss %q; there are: %s", l.Name, strings.Join(LossNames(), ", "))
	case x.Type.Kind != ir.Tensor || !x.Type.Elem.IsFloat() || !x.Type.Known():
		return nil, nil, fmt.Errorf("output %q is %s, want a tensor of floats for the loss %s", x.Name, x.Type, l.Name)
	case !slices.Contains([]string{"", "mean", "sum", "none"}, l.Reduction) && (l.Name != "kl" || l.Reduction != "batchmean"):
		return nil, nil, fmt.Errorf("reduction is %q, want mean, sum or none", l.Reduction)
	}
	c := *l
	c.Reduction = cmp.Or(l.Reduction, "mean")
	build := &lossBuilder{b, &c, body, x, 0}
	loss = x
	if f != nil {
		if loss, err = f(build); err != nil {
			return nil, nil, fmt.Errorf("loss %s: %w", l.Name, err)
		}
	}
	if c.Reduction == "none" {
		each = loss
		loss = build.weigh(each)
	}
	if b.Err() == nil && loss != x && loss.Def != nil {
		loss.Name = b.Module.FreshName("loss")
	}
	return loss, each, nil
}

// weigh returns the sum of the losses, each multiplied by a target of its own.
func (l *lossBuilder) weigh(each *ir.Value) *ir.Value {
	if l.Err() != nil {
		return each
	}
	if l.Name != "output" && each.Def != nil {
		each.Name = l.Module.FreshName("losses")
	}
	w := l.input("weight", each.Type.Elem, each.Type.Shape...)
	return l.OpA("ReduceSum", attrs("keepdims", int64(0)), l.Op("Mul", each, w))
}

// target adds an input of the given type.
func (l *lossBuilder) target(name string, elem tensor.DType, shape ...ir.Dim) *ir.Value {
	if l.used < len(l.Targets) {
		name = l.Targets[l.used]
	}
	l.used++
	return l.input(name, elem, shape...)
}

// input adds an input of the step.
func (l *lossBuilder) input(name string, elem tensor.DType, shape ...ir.Dim) *ir.Value {
	v := &ir.Value{Name: l.Module.FreshName(name), Type: ir.TensorOf(elem, shape...)}
	l.body.Params = append(l.body.Params, v)
	return v
}

// same adds a target of the type of the output.
func (l *lossBuilder) same() *ir.Value { return l.target("target", l.x.Type.Elem, l.x.Type.Shape...) }

// num returns a constant of the output's type.
func (l *lossBuilder) num(v float64) *ir.Value { return l.Scalar(l.x.Type.Elem, v) }

// reduce returns the mean or the sum of all elements of v, or v.
func (l *lossBuilder) reduce(v *ir.Value) *ir.Value {
	if l.Reduction == "none" {
		return v
	}
	name := map[string]string{"mean": "ReduceMean", "sum": "ReduceSum"}[l.Reduction]
	return l.OpA(name, attrs("keepdims", int64(0)), v)
}

// sum adds up one axis.
func (l *lossBuilder) sum(v *ir.Value, axis int) *ir.Value {
	return l.OpA("ReduceSum", attrs("keepdims", int64(0)), v, l.Ints(axis))
}

// square is v².
func (l *lossBuilder) square(v *ir.Value) *ir.Value { return l.Op("Mul", v, v) }

// weights returns the weights of the classes, or nil.
func (l *lossBuilder) weights() (*ir.Value, error) {
	if l.Weights == nil {
		return nil, nil
	}
	classes := op.Shape(l.x)[1]
	if n, ok := classes.Const(); !ok || n != len(l.Weights) {
		return nil, fmt.Errorf("there are %d weights for %s classes", len(l.Weights), classes)
	}
	return l.Const(filledWith(l.x.Type.Elem, l.Weights)), nil
}

// filledWith returns a vector of the given elements.
func filledWith(elem tensor.DType, v []float64) *tensor.Tensor {
	out := tensor.New(elem, len(v))
	b := out.Bytes()
	for i, x := range v {
		copy(b[i*elem.Size():], tensor.FromFloat(elem, x).Bytes())
	}
	return out
}
