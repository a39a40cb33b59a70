// Package pass rewrites graphs. A pass is a value; [Pipeline] is all of them in
// order; [Run] runs them and verifies the graph after each.
package pass
