package model

// Profiled is a [Session] that can say what it is doing.
type Profiled interface {
	Session

	// Profiled lists the nodes that Profile tells of.
	Profiled() []ProfiledNode

	// Profile is Run, except that it tells p of each node. The inputs must be set.
	Profile(p Profiler) error
}

// ProfiledNode is a node of the model, and what became of it.
type ProfiledNode struct {
	Name string
	Op   string // the operator
	Call string // the kernels that compute it
}

// Profiler is told what a run does.
type Profiler interface {
	// Begin says that a node begins, by its index, and how many arithmetic
	// operations it does and how many bytes it has to read and write. What came
	// before it has ended. A node in a loop begins more than once.
	Begin(node, flops, bytes int)

	// End says that the last node has ended.
	End()
}
