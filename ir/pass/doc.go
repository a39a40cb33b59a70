// Package pass rewrites graphs. A [Pass] is a value; [Pipeline] lists all passes in order; [Run] runs them
// and verifies the graph after each.
//
// A pass has a file of its name; the rules of fuse are in files fuse_*, by subject. pass.go has Pipeline and
// Run, context.go the settings and reports of passes, tuning.go measurements that choose instead of a cost
// model. slice, axes, fuse_match and inputs help passes read graphs. flops and bind are no passes.
package pass
