// Package enginetest has nodes run programs that were written by hand, and looks at them from
// outside: what a snapshot brings back, what an insider can do, and what a message costs. It
// holds tests and benchmarks alone.
package enginetest
