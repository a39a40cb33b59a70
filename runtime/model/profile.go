package model

// Profiled is a [Session] that can report the node that it runs.
type Profiled interface {
	Session

	// Profiled lists the nodes that Profile reports.
	Profiled() []ProfiledNode

	// Profile is Run, except that it reports each node to p. The inputs must be set.
	Profile(p Profiler) error
}

// ProfiledNode is a node of the model, and the kernels that compute it.
type ProfiledNode struct {
	Name string
	Op   string // the operator
	Call string // the kernels that compute it
}

// A Profiler receives the reports of a profiled run.
type Profiler interface {
	// Begin reports that a node begins: its index, its number of arithmetic operations, and the number of bytes
	// that it reads and writes. The previous node has ended. A node in a loop begins more than once.
	Begin(node, flops, bytes int)

	// End reports that the last node has ended.
	End()
}
