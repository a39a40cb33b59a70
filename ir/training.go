package ir

// Training is the training information of a file. It is not run until it is converted into a function of the
// module; it is kept so that writing the file loses nothing.
type Training struct {
	// Init computes the initial values; nil if the file has none.
	Init *Func

	// Inits are the constants that the results of Init replace.
	Inits []Binding

	// Algorithm is one step of training; nil if the file has none. Its body follows that of the main
	// function; it can read the values of that.
	Algorithm *Func

	// Updates are the constants that the results of a step replace.
	Updates []Binding
}

// Binding says that the constant To takes the value From.
type Binding struct{ To, From *Value }
