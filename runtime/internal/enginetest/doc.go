// Package enginetest tests nodes from outside, with hand-written programs: restoring snapshots, hostile
// insiders, and the cost of a message. It holds only tests and benchmarks.
package enginetest
