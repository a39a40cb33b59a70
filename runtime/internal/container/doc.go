// Package container holds the data structures of the engine: a queue, a set of small numbers
// and a hash table. Each is ready to use as its zero value and allocates only when it grows,
// so that a node which has seen its largest load allocates nothing.
package container
