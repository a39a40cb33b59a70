package op

// Reasons why operators have no gradient, see [Op.Stops].
const (
	StopBools          = "it works on bools"
	StopStrings        = "it works on strings"
	StopFromIntegers   = "it works on whole numbers"
	StopToIntegers     = "it counts or points at things"
	StopNoInputs       = "it takes nothing that has a gradient"
	StopLists          = "gradients pass through tensors, not through lists and optionals"
	StopAfterGradients = "it comes into being when gradients have been taken"
	StopSecondOrder    = "it is a gradient, and has none of its own"
	StopUpdates        = "it changes the state of a training"
	StopStepwise       = "it is constant between jumps"
	StopComponent      = "a component of the author's does it"
	StopEngine         = "the engine does it"
)
