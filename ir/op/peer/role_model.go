package peer

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The methods of a model, which computes and may be trained. A model may have several inputs, outputs and
// targets, which follow each other.
var (
	// ModelForward returns y = f(x).
	ModelForward = call("model", "Forward",
		[]op.Port{{Name: "x", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "y", Variadic: true, Mixed: true, Min: 1}},
		tensorsFirst(1, said(anyRank(tensor.Float32)))).slow().Op

	// ModelForwardTrain returns y = f(x) in training mode, and the number of its random draws for
	// ModelBackward.
	ModelForwardTrain = call("model", "ForwardTrain",
		[]op.Port{{Name: "x", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "y"}, {Name: "drawn", Variadic: true, Mixed: true, Min: 1}},
		tensorsFirst(1, drawnLast)).slow().Op

	// ModelBackward returns the gradient of the last Forward's input, given that of its output. If the model
	// is recomputed, its operands are the gradients, as many as the attribute "outputs", followed by the
	// operands of the forward pass and the number of its random draws. Inputs other than floats have no
	// gradient.
	ModelBackward = call("model", "Backward",
		[]op.Port{{Name: "dy", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "dx", Variadic: true, Mixed: true, Min: 1}},
		inferBackward, op.Attr{Name: "outputs", Kind: op.Int, Default: 0}).uses(op.HasBackward).slow().Op

	// ModelComputeLoss returns the loss of x for the targets t.
	ModelComputeLoss = call("model", "ComputeLoss",
		[]op.Port{{Name: "x", Types: aTensor}, {Name: "targets", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "loss"}},
		tensorsFirst(2, floatScalar)).uses(op.HasLoss).slow().Op

	// ModelTrainStep trains one step with a batch and its targets. It returns the loss.
	ModelTrainStep = call("model", "TrainStep",
		[]op.Port{{Name: "x", Types: aTensor}, {Name: "targets", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "loss"}},
		tensorsFirst(2, floatScalar)).uses(op.HasLoss).slow().Op

	// ModelTrainStepGradient is ModelTrainStep, and also returns the gradients of the batch: of the floats
	// among the first inputs, as many as the attribute "inputs".
	ModelTrainStepGradient = call("model", "TrainStepGradient",
		[]op.Port{{Name: "x", Types: aTensor}, {Name: "targets", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "loss_and_dx", Variadic: true, Mixed: true, Min: 1}},
		inferTrainStepGradient, op.Attr{Name: "inputs", Kind: op.Int, Default: 0}).uses(op.HasLoss | op.HasGradients).slow().Op

	// ModelTrainSteps trains "steps" steps with batches of the data source in the slot "data". It returns the
	// last loss.
	ModelTrainSteps = call("model", "TrainSteps",
		[]op.Port{after}, []op.Port{{Name: "loss"}},
		gives(floatScalar), op.Attr{Name: "data", Kind: op.String, Arg: true}, op.Attr{Name: "steps", Kind: op.Int, Default: 1, Arg: true}).uses(op.HasLoss | op.EachBatch).slow().Op

	// ModelGradients returns the gradients of the parameters for a batch and its targets, concatenated, and
	// the loss. It does not change the parameters.
	ModelGradients = call("model", "Gradients",
		[]op.Port{{Name: "x", Types: aTensor}, {Name: "targets", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "gradients"}, {Name: "loss"}},
		tensorsFirst(2, vectorAnd(tensor.Float32))).uses(op.GivesParameters | op.HasLoss | op.HalfStep).slow().Op

	// ModelBeginGradients is the first call of a ModelGradients that is divided: it computes until the last of
	// "buckets" equal parts of the gradients is complete. It returns that part and the number of the pass.
	ModelBeginGradients = call("model", "BeginGradients",
		[]op.Port{{Name: "x", Types: aTensor}, {Name: "targets", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "gradients"}, {Name: "pass"}},
		inBuckets(2, tensor.Int64), op.Attr{Name: "buckets", Kind: op.Int, Required: true, Arg: true}).uses(op.GivesBucket | op.HasLoss | op.HalfStep).slow().Op

	// ModelNextGradients continues a pass, with the same operands followed by its number, until the part
	// "bucket" of the gradients is complete. It returns that part and the loss, which is known with part 0.
	ModelNextGradients = call("model", "NextGradients",
		[]op.Port{{Name: "x", Types: aTensor}, {Name: "targets_and_pass", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 2}}, []op.Port{{Name: "gradients"}, {Name: "loss"}},
		inBuckets(3, tensor.Float32), op.Attr{Name: "bucket", Kind: op.Int, Required: true, Arg: true}, op.Attr{Name: "buckets", Kind: op.Int, Required: true, Arg: true}).uses(op.GivesBucket | op.HasLoss | op.HalfStep).slow().Op

	// ModelApplyGradients updates the parameters with gradients from ModelGradients.
	ModelApplyGradients = call("model", "ApplyGradients",
		[]op.Port{{Name: "gradients", Types: aTensor}}, []op.Port{{Name: "done", Types: aTrigger}},
		gives(triggered)).uses(op.TakesParameters | op.HalfStep).slow().Op

	// ModelApplyDelta adds to the parameters.
	ModelApplyDelta = call("model", "ApplyDelta",
		[]op.Port{{Name: "delta", Types: aTensor}}, []op.Port{{Name: "done", Types: aTrigger}},
		gives(triggered)).uses(op.TakesParameters).Op

	// ModelLoadParameters sets the parameters.
	ModelLoadParameters = call("model", "LoadParameters",
		[]op.Port{{Name: "parameters", Types: aTensor}}, []op.Port{{Name: "done", Types: aTrigger}},
		gives(triggered)).uses(op.TakesParameters).Op

	// ModelParams returns the parameters, concatenated.
	ModelParams = call("model", "Params", []op.Port{after}, []op.Port{{Name: "parameters"}}, gives(said(floatVector))).uses(op.GivesParameters).Op
)

// tensorsFirst returns the inference of a call with at least k tensors, followed by triggers that it waits
// for.
func tensorsFirst(k int, out give) func(*op.Infer) error {
	return func(c *op.Infer) error {
		n := operands(c.Node)
		if n < k {
			return fmt.Errorf("has %d inputs that are tensors, want %d at least", n, k)
		}
		for _, v := range c.In[n:] {
			if v == nil || !aTrigger.Holds(v.Type) {
				return fmt.Errorf("has %d inputs, want %d and triggers", len(c.In), n)
			}
		}
		return gives(out)(c)
	}
}

// operands returns the number of inputs before the first trigger.
func operands(n *ir.Node) int {
	for i, v := range n.In {
		if v != nil && aTrigger.Holds(v.Type) {
			return i
		}
	}
	return len(n.In)
}

// drawnLast returns the types that the author gave, followed by that of a number.
func drawnLast(c *op.Infer, i int) (ir.Type, error) {
	if i == len(c.Node.Out)-1 {
		return ir.TensorOf(tensor.Int64), nil
	}
	return said(anyRank(tensor.Float32))(c, i)
}

// vectorAnd returns the types of gradients and of a number, such as the loss.
func vectorAnd(number tensor.DType) give {
	return func(c *op.Infer, i int) (ir.Type, error) {
		if i == 0 {
			return said(floatVector)(c, i)
		}
		return ir.TensorOf(number), nil
	}
}

// inBuckets returns the inference of a call with at least k tensors that returns a part of the gradients and a number.
func inBuckets(k int, number tensor.DType) func(*op.Infer) error {
	return func(c *op.Infer) error {
		if i, n := GradientBucket(c.Node); i < 0 || i >= n || n < 2 {
			return fmt.Errorf("is part %d of %d, want a part of 2 or more, counted from 0", i, n)
		}
		return tensorsFirst(k, vectorAnd(number))(c)
	}
}

// GradientBucket returns which of how many parts of the gradients a call returns.
func GradientBucket(n *ir.Node) (bucket, buckets int) {
	buckets = n.Int("buckets")
	return n.IntOr("bucket", buckets-1), buckets
}

func inferBackward(c *op.Infer) error {
	n := operands(c.Node)
	dys := int(c.Node.Int("outputs"))
	switch {
	case dys == 0:
		return tensorsFirst(1, said(anyRank(tensor.Float32)))(c)
	case dys < 0 || n < dys+2:
		return fmt.Errorf("has %d inputs that are tensors, want %d gradients, inputs and a number", n, dys)
	}
	return tensorsFirst(1, gradients(c.Node.In[dys:n-1], 0))(c)
}

func inferTrainStepGradient(c *op.Infer) error {
	ins := int(c.Node.Int("inputs"))
	if n := operands(c.Node); ins < 1 || ins >= n {
		return fmt.Errorf("has %d inputs that are tensors, of which %d are a batch", n, ins)
	}
	dx := gradients(c.Node.In[:ins], 1)
	return tensorsFirst(2, func(c *op.Infer, i int) (ir.Type, error) {
		if i == 0 {
			return floatScalar(c, i)
		}
		return dx(c, i)
	})(c)
}

// gradients returns, from an output on, the types of the values that have a gradient, or a trigger if none
// has.
func gradients(of []*ir.Value, first int) give {
	var types []ir.Type
	for _, v := range of {
		if HasGradient(v.Type) {
			types = append(types, v.Type)
		}
	}
	return func(_ *op.Infer, i int) (ir.Type, error) {
		switch {
		case i-first < len(types):
			return types[i-first], nil
		case i == first:
			return Trigger, nil
		}
		return ir.Type{}, fmt.Errorf("output %d: only %d inputs are floats, which alone have gradients", i, len(types))
	}
}

// HasGradient reports whether values of a type have a gradient, as tensors of floats do.
func HasGradient(t ir.Type) bool { return t.Kind == ir.Tensor && t.Elem.IsFloat() }

// uses sets [op.Peer.Model].
func (o row) uses(what op.ModelUse) row {
	o.Peer.Model = what
	return o
}
