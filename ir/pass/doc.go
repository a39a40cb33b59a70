// Package pass rewrites graphs. A [Pass] is a value; [Pipeline] lists all passes in order; [Run] runs them
// and verifies the graph after each.
package pass
