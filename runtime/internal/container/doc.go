// Package container holds the data structures of the engine: a queue, a set of small numbers and a hash
// table. Their zero values are ready to use. They allocate only when they grow, so that a node that has had
// its maximum load does not allocate.
package container
