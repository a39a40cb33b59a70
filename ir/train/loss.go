package train

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Loss is what training makes small. It compares the model's first output with
// targets, which become inputs of the step. Names and meanings are PyTorch's.
type Loss struct {
	// Name is cross_entropy, nll, mse, l1, huber, smooth_l1, bce, bce_logits,
	// kl, cosine, triplet, or output for a model that computes its loss
	// itself as its first output.
	Name string

	Reduction string    // mean, the default, or sum; kl: batchmean, too
	Targets   []string  // the names of the targets, if not "target"
	Axis      int       // cross entropy, nll: where the classes stand in the output, -1 for last; 0 is 1, as in PyTorch
	Soft      bool      // cross entropy: the targets are probabilities of the classes
	Ignore    *int      // cross entropy, nll: the class that does not count
	Weights   []float64 // cross entropy, nll: of the classes
	Smoothing float64   // cross entropy: how much of the targets goes to all classes alike
	Delta     float64   // huber, smooth_l1: where the square ends; 0 is 1
	Margin    float64   // cosine, triplet
}

// losses are the losses by name.
var losses = map[string]func(l *lossBuilder) (*ir.Value, error){
	"bce":           bce,
	"bce_logits":    bceLogits,
	"cosine":        cosine,
	"cross_entropy": crossEntropy,
	"huber":         huber,
	"kl":            kl,
	"l1":            l1,
	"mse":           mse,
	"nll":           nll,
	"smooth_l1":     smoothL1,
	"triplet":       triplet,
}

// LossNames are the names of the losses.
func LossNames() []string { return append(slices.Sorted(maps.Keys(losses)), "output") }

// lossBuilder builds the nodes of a loss.
type lossBuilder struct {
	*ir.Builder
	*Loss
	body *ir.Region
	x    *ir.Value // the model's first output
	used int       // targets made so far
}

func (l *Loss) build(b *ir.Builder, body *ir.Region) (*ir.Value, error) {
	x := body.Results[0]
	if l.Name == "output" {
		return x, nil
	}
	f := losses[l.Name]
	switch {
	case f == nil:
		return nil, fmt.Errorf("no loss %q; there are: %s", l.Name, strings.Join(LossNames(), ", "))
	case x.Type.Kind != ir.Tensor || !x.Type.Elem.IsFloat() || !x.Type.Known():
		return nil, fmt.Errorf("output %q is %s, want a tensor of floats for the loss %s", x.Name, x.Type, l.Name)
	case !slices.Contains([]string{"", "mean", "sum"}, l.Reduction) && (l.Name != "kl" || l.Reduction != "batchmean"):
		return nil, fmt.Errorf("reduction is %q, want mean or sum", l.Reduction)
	}
	c := *l
	c.Reduction = "mean"
	if l.Reduction != "" {
		c.Reduction = l.Reduction
	}
	y, err := f(&lossBuilder{b, &c, body, x, 0})
	if err != nil {
		return nil, fmt.Errorf("loss %s: %w", l.Name, err)
	}
	if b.Err() == nil && y.Def != nil {
		y.Name = b.Module.FreshName("loss")
	}
	return y, nil
}

// target adds an input of the given type.
func (l *lossBuilder) target(name string, elem tensor.DType, shape ...ir.Dim) *ir.Value {
	if l.used < len(l.Targets) {
		name = l.Targets[l.used]
	}
	l.used++
	v := &ir.Value{Name: l.Module.FreshName(name), Type: ir.TensorOf(elem, shape...)}
	l.body.Params = append(l.body.Params, v)
	return v
}

// same adds a target of the type of the output.
func (l *lossBuilder) same() *ir.Value { return l.target("target", l.x.Type.Elem, l.x.Type.Shape...) }

// num is a constant of the output's type.
func (l *lossBuilder) num(v float64) *ir.Value { return l.Scalar(l.x.Type.Elem, v) }

// reduce is the mean or the sum of all elements of v.
func (l *lossBuilder) reduce(v *ir.Value) *ir.Value {
	name := map[string]string{"mean": "ReduceMean", "sum": "ReduceSum"}[l.Reduction]
	return l.OpA(name, attrs("keepdims", int64(0)), v)
}

// sum adds up one axis.
func (l *lossBuilder) sum(v *ir.Value, axis int) *ir.Value {
	return l.OpA("ReduceSum", attrs("keepdims", int64(0)), v, l.Ints(axis))
}

// square is v².
func (l *lossBuilder) square(v *ir.Value) *ir.Value { return l.Op("Mul", v, v) }

// weights are the weights of the classes, nil if there are none.
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

// filledWith is a vector of the given elements.
func filledWith(elem tensor.DType, v []float64) *tensor.Tensor {
	out := tensor.New(elem, len(v))
	switch d := out.Data.(type) {
	case []float32:
		for i, x := range v {
			d[i] = float32(x)
		}
	case []float64:
		copy(d, v)
	}
	return out
}
