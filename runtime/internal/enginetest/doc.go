// Package enginetest tests nodes from outside, with hand-written programs: restoring snapshots, hostile
// insiders, peers of several classes, what a node waits for, and the cost of a message. It holds only tests
// and benchmarks.
package enginetest
