package partitioner

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/target"
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

	// Target is the machine of the peers that costs are considered for; nil: [target.Default].
	Target *target.Target

	hash func(text string) wire.EdgeID // of an edge's text; nil: edgeid.Edge
}

// Make cuts a program at its network edges. Calls must be inlined and values must have types. It rewrites m,
// which then has all nodes that the peers execute, and verifies it after each stage.
//
// It reports all mistakes of the author that a stage finds at once, each with its position.
func Make(m *ir.Module, opt Options) (*Program, error) {
	c := newCutter(m, opt)
	if err := c.run(makeStages); err != nil {
		return nil, err
	}
	return c.prog, nil
}

func newCutter(m *ir.Module, opt Options) *cutter {
	if opt.hash == nil {
		opt.hash = edgeid.Edge
	}
	opt.Target = target.Or(opt.Target)
	c := &cutter{m: m, opt: opt, prog: &Program{Name: m.Name, Target: opt.Target}, root: map[*ir.Node]string{},
		together: map[*ir.Node][]*ir.Value{}, whole: map[*ir.Node]*ir.Node{}, sizes: map[*ir.Node][]*ir.Value{}}
	for _, n := range m.Main.Body.Nodes {
		c.root[n] = n.Class
	}
	return c
}

// run runs stages in order, and verifies the graph after each.
func (c *cutter) run(stages []makeStage) error {
	for _, s := range stages {
		s.run(c)
		if err := errors.Join(c.errs...); err != nil {
			return err
		}
		if err := ir.Verify(c.m); err != nil {
			panic(fmt.Sprintf("BUG: after %s of the partitioner: %v", s.name, err))
		}
	}
	return nil
}

// makeStage is a stage of [Make], which may rewrite the graph.
type makeStage struct {
	name string
	run  func(*cutter)
}

// makeStages are the stages of [Make], in order.
var makeStages = []makeStage{
	{"check", (*cutter).check},       // rejects what no program may contain
	{"forward", (*cutter).forward},   // removes Identity nodes
	{"unbundle", (*cutter).unbundle}, // splits bundles into their values
	{"place", (*cutter).place},       // gives each node a class
	{"connect", (*cutter).connect},   // connects each Send with its Recv
	{"carry", (*cutter).carry},       // sends sizes that a receiver cannot derive
	{"emit", (*cutter).emit},         // returns results to the host through nodes
	{"classify", (*cutter).classify}, // sorts nodes by class
	{"slots", (*cutter).slots},       // finds slots and their components
	{"commands", (*cutter).commandSlots},
	{"stores", (*cutter).stores},         // checks that holds, queues and limits are used in one way
	{"edges", (*cutter).edges},           // makes the edge table
	{"activities", (*cutter).activities}, // groups nodes by what opens them
	{"enters", (*cutter).enters},         // checks where peers join
	{"modules", (*cutter).modules},       // finds gathers, cut points and blocks
	{"deadlines", (*cutter).deadlines},
	{"caused", (*cutter).caused},     // checks that each module can begin
	{"speakers", (*cutter).speakers}, // finds the origins of each edge's executions
	{"complete", (*cutter).complete}, // checks that each class has what it needs
	{"ends", (*cutter).ends},         // checks that executions end
	{"fingerprint", (*cutter).fingerprint},
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
		if k := op.PeerKindOf(n); n.Res(0) == nil && (k == op.KindSend || k == op.KindRecv || op.OpensOf(n) == op.OpensRounds) {
			c.failf(n, "leaves out its first output: give it a name, even if nothing reads it")
		}
		for _, r := range n.Regions {
			r.Walk(func(x *ir.Node) {
				if op.PeerKindOf(x) != 0 {
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
