package training

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [NegativeLogLikelihoodLoss] and [SoftmaxCrossEntropyLoss].
const (
	lossInput = iota
	lossTarget
	lossWeight
)

// NegativeLogLikelihoodLoss is the loss of a classifier that returns log-probabilities.
//
// https://onnx.ai/onnx/operators/onnx__NegativeLogLikelihoodLoss.html
var NegativeLogLikelihoodLoss = &op.Op{
	Name:  "NegativeLogLikelihoodLoss",
	Since: []int{12, 13, 22},
	Attrs: []op.Attr{
		{Name: "ignore_index", Kind: op.Int},
		{Name: "reduction", Kind: op.String, Default: "mean", Values: []string{"none", "sum", "mean"}},
	},
	Inputs: []op.Port{
		lossInput:  {Name: "input", Types: elem.Floats},
		lossTarget: {Name: "target", Types: elem.Indices},
		lossWeight: {Name: "weight", Like: "input", Optional: true},
	},
	Outputs: []op.Port{{Name: "loss", Like: "input"}},
	Infer:   inferLoss,
	Grad:    nllLossGrad,
	Lower: func(l *op.Lowering) error {
		lowerNLLLoss(l, l.Out[0], l.In[lossInput])
		return nil
	},
	Widen:   true,
	Precise: []int{0},
}

// lossKinds are the kernels' constants for the attribute reduction.
var lossKinds = map[string]op.Const{"none": "LossEach", "sum": "LossSum", "mean": "LossMean"}

// inferLoss types the loss; the scores are [batch, classes, d...], the targets
// [batch, d...].
func inferLoss(c *op.Infer) error {
	x, err := c.FloatTensor(lossInput)
	if err != nil {
		return err
	}
	if len(x.Shape) < 2 {
		return fmt.Errorf("input %q has rank %d, want at least 2", c.In[lossInput].Name, len(x.Shape))
	}
	target, err := c.Tensor(lossTarget)
	if err != nil {
		return err
	}
	if target.Elem != tensor.Int32 && target.Elem != tensor.Int64 {
		return fmt.Errorf("input %q is %s, want int32 or int64", c.In[lossTarget].Name, target.Elem)
	}
	shape := append([]ir.Dim{x.Shape[0]}, x.Shape[2:]...)
	if err := c.HasShape(lossTarget, shape...); err != nil {
		return err
	}
	if c.Arg(lossWeight) != nil {
		if err := c.LikeInput0(lossWeight); err != nil {
			return err
		}
		if err := c.HasShape(lossWeight, x.Shape[1]); err != nil {
			return err
		}
	}
	switch lossKinds[c.Str("reduction")] {
	case "LossEach":
		c.OutTensor(0, x.Elem, target.Shape...)
	default:
		c.OutTensor(0, x.Elem)
	}
	return nil
}

// lowerNLLLoss computes y from the logarithms of the probabilities.
func lowerNLLLoss(l *op.Lowering, y, logs *ir.Value) {
	l.Call("NLLLoss", y, logs, l.In[lossTarget], l.Arg(lossWeight), lossParams(l.Node, op.Shape(logs)))
}

// lossParams returns the kernels' parameter for scores of the given shape.
func lossParams(n *ir.Node, shape []ir.Dim) op.Struct {
	fields := []op.Field{
		{Name: "Classes", Value: shape[1]}, {Name: "Inner", Value: ir.Size(shape[2:])},
		{Name: "Reduce", Value: lossKinds[n.Str("reduction")]},
	}
	if n.Has("ignore_index") {
		fields = append(fields, op.Field{Name: "Ignores", Value: true}, op.Field{Name: "Ignore", Value: n.Int("ignore_index")})
	}
	return op.Struct{Type: "Loss", Fields: fields}
}

// dx = -dy·weight at the target
func nllLossGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	dx := op.OwnNode(b, "NLLLossGrad", lossAttrs(n), append([]*ir.Value{dy[0], n.In[lossInput]}, n.In[1:]...)...)
	return []*ir.Value{dx, nil, lossWeightGrad(b, n, n.In[lossInput], n.In[lossTarget], n.Arg(lossWeight), n.Out[0], dy[0])}[:len(n.In)]
}

// lossWeightGrad returns the gradient of a loss with respect to the weights of the classes, or nil if there
// are none:
//
//	dweight[t] = Σ -dy·logs[t]            of single losses and their sum
//	dweight[t] = Σ -dy·(logs[t]+y)/Σweight   of their mean y
//
// over the samples with a target t that is not ignored.
func lossWeightGrad(b *ir.Builder, n *ir.Node, logs, target, weight, y, dy *ir.Value) *ir.Value {
	if weight == nil {
		return nil
	}
	single := func(v *ir.Value, reduction string, w ...*ir.Value) *ir.Value {
		attrs := lossAttrs(n)
		attrs.Set("reduction", reduction)
		return b.OpA("NegativeLogLikelihoodLoss", attrs, append([]*ir.Value{v, target}, w...)...)
	}
	each, minus := single(logs, "none"), op.Fill(b, logs, -1)
	if n.Str("reduction") == "mean" {
		counts := single(minus, "none")
		each = b.Op("Sub", each, b.Op("Mul", counts, y))
		dy = b.Op("Div", dy, single(minus, "sum", weight))
	}
	class := target
	if n.Has("ignore_index") {
		zero := b.Scalar(target.Type.Elem, 0)
		ignored := b.Op("Equal", target, b.Scalar(target.Type.Elem, float64(n.Int("ignore_index"))))
		class = b.Op("Where", ignored, zero, target)
	}
	flat := b.Ints(-1)
	return op.OwnNode(b, "GatherGrad", nil, b.Op("Reshape", b.Op("Mul", each, dy), flat), b.Op("Reshape", class, flat), weight)
}

// lossAttrs returns the attributes of n that its gradient has, too.
func lossAttrs(n *ir.Node) ir.Attrs {
	attrs := op.Attrs("reduction", n.Str("reduction"))
	if n.Has("ignore_index") {
		attrs.Set("ignore_index", n.Int64("ignore_index"))
	}
	return attrs
}
