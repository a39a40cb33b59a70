package partitioner

import (
	"cmp"
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// cutter is the state of [Make].
type cutter struct {
	m    *ir.Module
	opt  Options
	prog *Program
	errs []error

	root     map[*ir.Node]string  // the class of the module that recorded a node
	results  []string             // the names of the program's results
	read     map[*ir.Value]bool   // values that some node reads
	home     map[*ir.Value]string // the class of a host input
	links    []*link
	classes  []*class
	pos      map[*ir.Node]int         // the position of a node, once all nodes exist
	together map[*ir.Node][]*ir.Value // values that a Send waits for besides those it sends
	whole    map[*ir.Node]*ir.Node    // of a Send of a part of a bundle: the Send of the bundle
	sizes    map[*ir.Node][]*ir.Value // values that a node needs to know sizes
	slotOf   map[*ir.Node]*Slot
	edgeOf   map[*ir.Node]*Edge // of Sends and Recvs
	groups   map[*ir.Node]*group
	commands map[*Slot]bool // slots with calls that are commands
	begins   []begin
	readers  map[*ir.Value][]*ir.Node
}

// class holds the modules of one class of peers.
type class struct {
	name   string
	part   *Partition
	params []*ir.Value
	nodes  []*ir.Node
	empty  []*group // without nodes
	acts   []*activity

	computes int // the number of functions

	calls map[chainKey][]*ir.Node // what chains returns for the nodes, once they do not change any more
}

// failf reports a mistake of the author: first the position, then the node.
func (c *cutter) failf(n *ir.Node, format string, args ...any) {
	where := c.m.File
	if n.Pos != "" {
		where = n.Pos
	}
	err := fmt.Errorf("%s: %w", n, fmt.Errorf(format, args...))
	if where != "" {
		err = fmt.Errorf("%s: %w", where, err)
	}
	c.errs = append(c.errs, err)
}

// errorf reports an error in the program as a whole.
func (c *cutter) errorf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%s: %w", source(c.m), fmt.Errorf(format, args...)))
}

// reads returns the values that a node reads, and those that it needs to know sizes.
func (c *cutter) reads(n *ir.Node) []*ir.Value { return append(reads(n), c.sizes[n]...) }

// source returns how errors name a module: by its file, or by its name if it was not read from one.
func source(m *ir.Module) string { return cmp.Or(m.File, m.Name) }
