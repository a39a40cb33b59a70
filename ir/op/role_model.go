package op

import "github.com/bbgen/bbgen/runtime/tensor"

// The methods of a model: inference, gradients, and steps of training.
var (
	// ModelForward is y = f(x).
	ModelForward = call("model", "Forward", One, One, takes(tensors, said(anyRank(tensor.Float32)))).slow()

	// ModelBackward is the gradient of the last Forward's input, given that of its
	// output; the parameters' gradients are kept.
	ModelBackward = call("model", "Backward", One, One, takes(tensors, said(anyRank(tensor.Float32)))).slow()

	// ModelComputeLoss is the loss of x for the targets t.
	ModelComputeLoss = call("model", "ComputeLoss", Two, One, takes(tensors, floatScalar)).slow()

	// ModelTrainStep is one step of training with a batch and its targets; it
	// returns the loss.
	ModelTrainStep = call("model", "TrainStep", Two, One, takes(tensors, floatScalar)).slow()

	// ModelTrainSteps is as many steps of training with batches of the data source
	// in the slot "data"; it returns the last loss.
	ModelTrainSteps = call("model", "TrainSteps", Arity{0, Any}, One, takes(triggers, floatScalar), "data", "steps").slow()

	// ModelApplyDelta adds to the parameters.
	ModelApplyDelta = call("model", "ApplyDelta", One, One, takes(tensors, triggered))

	// ModelLoadParameters sets the parameters.
	ModelLoadParameters = call("model", "LoadParameters", One, One, takes(tensors, triggered))

	// ModelParams are the parameters, one behind the other.
	ModelParams = call("model", "Params", Arity{0, Any}, One, takes(triggers, said(floatVector)))
)
