package peer

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// What computes, and learns. A model may have several inputs, outputs and targets;
// they follow one another.
var (
	// ModelForward is y = f(x).
	ModelForward = call("model", "Forward",
		[]op.Port{{Name: "x", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "y", Variadic: true, Mixed: true, Min: 1}},
		tensorsFirst(1, said(anyRank(tensor.Float32)))).slow().Op

	// ModelForwardTrain is y = f(x) as training computes it, and the number of what
	// it has drawn at random, for ModelBackward.
	ModelForwardTrain = call("model", "ForwardTrain",
		[]op.Port{{Name: "x", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "y"}, {Name: "drawn", Variadic: true, Mixed: true, Min: 1}},
		tensorsFirst(1, drawnLast)).slow().Op

	// ModelBackward is the gradient of the last Forward's input, given that of its
	// output. A model that is computed again has the operands of its forward pass
	// behind the gradients, of which the attribute "outputs" says how many there
	// are, and what it has drawn; inputs that are no floats have no gradient.
	ModelBackward = call("model", "Backward",
		[]op.Port{{Name: "dy", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "dx", Variadic: true, Mixed: true, Min: 1}},
		inferBackward, op.Attr{Name: "outputs", Kind: op.Int, Default: 0}).uses(op.HasBackward).slow().Op

	// ModelComputeLoss is the loss of x for the targets t.
	ModelComputeLoss = call("model", "ComputeLoss",
		[]op.Port{{Name: "x", Types: aTensor}, {Name: "targets", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "loss"}},
		tensorsFirst(2, floatScalar)).uses(op.HasLoss).slow().Op

	// ModelTrainStep is one step of training with a batch and its targets; it
	// returns the loss.
	ModelTrainStep = call("model", "TrainStep",
		[]op.Port{{Name: "x", Types: aTensor}, {Name: "targets", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "loss"}},
		tensorsFirst(2, floatScalar)).uses(op.HasLoss).slow().Op

	// ModelTrainStepGradient is ModelTrainStep, and the gradients of the batch: of
	// the floats among its first inputs, as many as the attribute "inputs" says.
	ModelTrainStepGradient = call("model", "TrainStepGradient",
		[]op.Port{{Name: "x", Types: aTensor}, {Name: "targets", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "loss_and_dx", Variadic: true, Mixed: true, Min: 1}},
		inferTrainStepGradient, op.Attr{Name: "inputs", Kind: op.Int, Default: 0}).uses(op.HasLoss | op.HasGradients).slow().Op

	// ModelTrainSteps is as many steps of training with batches of the data source
	// in the slot "data" as "steps" says; it returns the last loss.
	ModelTrainSteps = call("model", "TrainSteps",
		[]op.Port{after}, []op.Port{{Name: "loss"}},
		gives(floatScalar), op.Attr{Name: "data", Kind: op.String, Arg: true}, op.Attr{Name: "steps", Kind: op.Int, Default: 1, Arg: true}).uses(op.HasLoss | op.EachBatch).slow().Op

	// ModelGradients is the gradients of the parameters for a batch and its targets,
	// one behind the other, and the loss. It changes no parameter.
	ModelGradients = call("model", "Gradients",
		[]op.Port{{Name: "x", Types: aTensor}, {Name: "targets", Types: tensorOrTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "gradients"}, {Name: "loss"}},
		tensorsFirst(2, vectorAndLoss)).uses(op.GivesParameters | op.HasLoss | op.HalfStep).slow().Op

	// ModelApplyGradients makes an update with gradients as ModelGradients gives them.
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

	// ModelParams are the parameters, one behind the other.
	ModelParams = call("model", "Params", []op.Port{after}, []op.Port{{Name: "parameters"}}, gives(said(floatVector))).uses(op.GivesParameters).Op
)

// tensorsFirst makes the inference of a call of at least k tensors, which waits for
// the triggers behind them.
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

// operands returns how many inputs stand before the first trigger.
func operands(n *ir.Node) int {
	for i, v := range n.In {
		if v != nil && aTrigger.Holds(v.Type) {
			return i
		}
	}
	return len(n.In)
}

// drawnLast gives what the author said, and a number behind it.
func drawnLast(c *op.Infer, i int) (ir.Type, error) {
	if i == len(c.Node.Out)-1 {
		return ir.TensorOf(tensor.Int64), nil
	}
	return said(anyRank(tensor.Float32))(c, i)
}

// vectorAndLoss gives the gradients of the parameters, and the loss.
func vectorAndLoss(c *op.Infer, i int) (ir.Type, error) {
	if i == 0 {
		return said(floatVector)(c, i)
	}
	return floatScalar(c, i)
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

// gradients gives, from an output on, the types of those values that have a gradient,
// and that something has happened where there is none.
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

// HasGradient reports whether values of a type have a gradient: tensors of floats do.
func HasGradient(t ir.Type) bool { return t.Kind == ir.Tensor && t.Elem.IsFloat() }

// uses says what a call does with the model.
func (o row) uses(what op.ModelUse) row {
	o.Peer.Model = what
	return o
}
