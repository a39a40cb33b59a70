package op

// Why operators have no gradient, see [Op.Stops].
const (
	onBools        = "it works on bools"
	onStrings      = "it works on strings"
	fromIntegers   = "it works on whole numbers"
	toIntegers     = "it counts or points at things"
	noInputs       = "it takes nothing that has a gradient"
	listsOnly      = "gradients pass through tensors, not through lists and optionals"
	afterGradients = "it comes into being when gradients have been taken"
	onlyOnce       = "it is a gradient, and has none of its own"
	updates        = "it changes the state of a training"
	stepwise       = "it is constant between jumps"
	component      = "a component of the author's does it"
	engine         = "the engine does it"
)
