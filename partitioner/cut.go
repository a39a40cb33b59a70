package partitioner

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/wire"
	"github.com/bbgen/bbgen/runtime/wire/edgeid"
)

// Options are the options of [Make].
type Options struct {
	// Command reports whether a call of a role's method runs as a command. If it is nil, computing methods of
	// the role Model do.
	Command func(s *Slot, n *ir.Node) bool

	// Unbound allows slots without a component, for callers that only inspect a program.
	Unbound bool

	hash func(text string) wire.EdgeID // of an edge's text; nil: edgeid.Edge
}

// Make cuts a program at its network edges. Calls must be inlined and values must have types. It rewrites m.
//
// It reports all mistakes of the author that a stage finds at once, each with its position.
func Make(m *ir.Module, opt Options) (*Program, error) {
	if opt.hash == nil {
		opt.hash = edgeid.Edge
	}
	c := &cutter{m: m, opt: opt, prog: &Program{Name: m.Name}, root: map[*ir.Node]string{},
		together: map[*ir.Node][]*ir.Value{}, whole: map[*ir.Node]*ir.Node{}, sizes: map[*ir.Node][]*ir.Value{}}
	for _, n := range m.Main.Body.Nodes {
		c.root[n] = n.Class
	}
	stages := []func(){
		c.check,    // rejects what no program may contain
		c.forward,  // removes Identity nodes
		c.unbundle, // splits bundles into their values
		c.place,    // gives each node a class
		c.connect,  // connects each Send with its Recv
		c.carry,    // sends sizes that a receiver cannot derive
		c.emit,     // returns results to the host through nodes
		c.classify, // sorts nodes by class
		c.slots,    // finds slots and their components
		c.commandSlots,
		c.edges,      // makes the edge table
		c.activities, // groups nodes by what opens them
		c.enters,     // checks where peers join
		c.modules,    // finds gathers, cut points and blocks
		c.deadlines,
		c.caused,   // checks that each module can begin
		c.speakers, // finds the origins of each edge's executions
		c.complete, // checks that each class has what it needs
		c.fingerprint,
	}
	for _, stage := range stages {
		stage()
		if err := errors.Join(c.errs...); err != nil {
			return nil, err
		}
	}
	return c.prog, nil
}

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

// check rejects what has no meaning in a program of several peers.
func (c *cutter) check() {
	if len(c.m.Funcs) > 0 {
		panic("BUG: the program's calls are not inlined")
	}
	for _, s := range c.m.Main.State {
		c.errorf("value %q outlives the run (it is a %s), which nothing on a peer does but components: put it in a slot", s.Param.Name, s.Kind)
	}
	for _, n := range c.m.Main.Body.Nodes {
		if op.Lookup(n) == nil {
			c.failf(n, "there is no such operator")
		}
		for _, r := range n.Regions {
			r.Walk(func(x *ir.Node) {
				if kind(x) != 0 {
					c.failf(x, "stands inside %s: what a peer does beside computing cannot depend on a condition or repeat inside one execution", n)
				}
			})
		}
	}
}

// forward makes readers of an Identity read its input.
func (c *cutter) forward() {
	by := map[*ir.Value]*ir.Value{}
	body := c.m.Main.Body
	body.Nodes = slices.DeleteFunc(body.Nodes, func(n *ir.Node) bool {
		if !n.Is("Identity") || !n.In[0].Type.Equal(n.Out[0].Type) || n.Out[0].ElemSyms != nil {
			return false
		}
		by[n.Out[0]] = n.In[0]
		return true
	})
	c.resultNames()
	c.m.Main.Replace(by)
}

// kind returns the kind of a node on a peer, or 0 if it computes.
func kind(n *ir.Node) op.PeerKind {
	if o := op.Lookup(n); o != nil && o.Peer != nil {
		return o.Peer.Kind
	}
	return 0
}

// reads returns the values that a node reads, and those that it needs to know sizes.
func (c *cutter) reads(n *ir.Node) []*ir.Value { return append(reads(n), c.sizes[n]...) }

// reads returns the values that a node and its regions read, except constants.
func reads(n *ir.Node) []*ir.Value {
	return (&ir.Region{Nodes: []*ir.Node{n}}).Captures()
}
