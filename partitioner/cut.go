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

// Options are what [Make] is told beside the program.
type Options struct {
	// Command reports whether a call of a role's method runs as a command. If it is
	// nil, those of the role Model that compute do.
	Command func(s *Slot, n *ir.Node) bool

	// Unbound lets slots be empty, for who only looks at a program.
	Unbound bool

	hash func(text string) wire.EdgeID // of an edge's text; nil: edgeid.Edge
}

// Make cuts a program at its network edges. Its calls are inlined and its values
// have types. It rewrites m.
//
// Everything that the author did wrong is reported at once, stage by stage, each
// with its place.
func Make(m *ir.Module, opt Options) (*Program, error) {
	if opt.hash == nil {
		opt.hash = edgeid.Edge
	}
	c := &cutter{m: m, opt: opt, prog: &Program{Name: m.Name}, root: map[*ir.Node]string{},
		together: map[*ir.Node][]*ir.Value{}, sizes: map[*ir.Node][]*ir.Value{}}
	for _, n := range m.Main.Body.Nodes {
		c.root[n] = n.Class
	}
	stages := []func(){
		c.check,    // what no program may have
		c.forward,  // values under a second name
		c.unbundle, // what crosses edges together
		c.place,    // a class for each node
		c.connect,  // each Send with the Recv that it feeds
		c.carry,    // sizes that a receiver cannot tell from what it gets
		c.emit,     // results become a node's inputs
		c.classify, // nodes class by class
		c.slots,    // who holds what
		c.commandSlots,
		c.edges,      // the table
		c.activities, // what opens when
		c.enters,     // where peers join
		c.modules,    // gathers, cut points, blocks
		c.deadlines,
		c.caused,   // something begins each module
		c.speakers, // who speaks for whom
		c.complete, // each class has what it needs
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

// cutter is a program while it is cut.
type cutter struct {
	m    *ir.Module
	opt  Options
	prog *Program
	errs []error

	root     map[*ir.Node]string  // the class of the module that recorded a node
	results  []string             // the names of the program's results
	read     map[*ir.Value]bool   // that some node reads
	home     map[*ir.Value]string // the class of a host input
	links    []*link
	classes  []*class
	pos      map[*ir.Node]int         // where a node stands, once all nodes are there
	together map[*ir.Node][]*ir.Value // what a Send waits for beside what it sends
	sizes    map[*ir.Node][]*ir.Value // what a node must have to know sizes
	slotOf   map[*ir.Node]*Slot
	edgeOf   map[*ir.Node]*Edge // of Sends and Recvs
	groups   map[*ir.Node]*group
	commands map[*Slot]bool // slots whose calls are commands
	begins   []begin
	readers  map[*ir.Value][]*ir.Node
}

// class is what peers of one class run.
type class struct {
	name   string
	part   *Partition
	params []*ir.Value
	nodes  []*ir.Node
	empty  []*group // without nodes
	acts   []*activity

	computes int // how many functions there are
}

// failf reports a mistake of the author's: the place first, then the node.
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

// errorf reports what is wrong with the whole program.
func (c *cutter) errorf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%s: %w", c.m.Name, fmt.Errorf(format, args...)))
}

// check refuses what has no meaning in a program of several peers.
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

// kind is what a node does on a peer, 0 if it computes.
func kind(n *ir.Node) op.PeerKind {
	if o := op.Lookup(n); o != nil && o.Peer != nil {
		return o.Peer.Kind
	}
	return 0
}

// reads returns the values that a node reads, and those that it must have to know
// sizes.
func (c *cutter) reads(n *ir.Node) []*ir.Value { return append(reads(n), c.sizes[n]...) }

// reads returns the values that a node reads, those in its regions among them;
// constants are not.
func reads(n *ir.Node) []*ir.Value {
	return (&ir.Region{Nodes: []*ir.Node{n}}).Captures()
}
