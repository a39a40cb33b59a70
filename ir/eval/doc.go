// Package eval executes lowered calls: it is the one place where a graph is
// walked instead of compiled. Constant folding, the checks of gradients and the
// tests' reference use it. It calls the kernels of runtime/cpu in their
// portable form, so that what is folded never depends on the author's machine;
// a server of remote devices, which generates nothing, asks for [Native] ones.
package eval

//go:generate go run ./gen
