package ir

// Training is how a file says that its model is trained. Nothing runs it
// until somebody turns it into a function of the module; it is kept so that
// nothing of the file is lost.
type Training struct {
	// Init computes where training starts; nil if the file does not say.
	Init *Func

	// Inits are the constants that Init's results replace.
	Inits []Binding

	// Algorithm is one step of training, nil if the file does not say. Its body
	// follows that of the main function: it reads the main function's values.
	Algorithm *Func

	// Updates are the constants that a step's results replace.
	Updates []Binding
}

// Binding says that the constant To takes the value From.
type Binding struct{ To, From *Value }
