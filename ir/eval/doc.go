// Package eval executes lowered calls. It is the only place where a graph is interpreted instead of compiled.
// Constant folding, the checks of gradients and the reference in tests use it. It calls the kernels of
// runtime/cpu in their portable form, so that folded constants do not depend on the author's machine. A
// server of remote devices, which generates no code, selects [Native] ones.
//
// eval.go and node.go go through a graph, flow.go runs control flow, and call.go calls kernels, whose
// arguments args.go makes. kernel.go resolves a call once for callers that repeat it. The tables of what calls name in
// runtime/cpu are generated: kernels.go, failing.go, packers.go and constants.go.
package eval

//go:generate go run ./gen
