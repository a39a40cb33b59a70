package recompute

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// graph is a function in numbers: nodes by position, values in the order of their definition. A view has the
// number of the value that it refers to.
type graph struct {
	nodes  []node
	values []value
	loss   int // the last node of the forward pass
	flops  int // of all nodes

	ids   map[*ir.Value]int
	roots map[*ir.Value]*ir.Value // the values that views and values changed in place refer to
}

// node is one node of the body.
type node struct {
	in, out []int
	states  []int // the states that it reads
	changes []int // the states that it changes in place
	work    int   // arithmetic operations
	price   int   // work, and the elements that it moves
	temps   int   // bytes of memory needed while it runs
	over    []int // the inputs that it may overwrite if they are no longer used
	again   bool  // it may run a second time
}

// value is an output of a node.
type value struct {
	bytes int
	def   int
	late  bool // it is read at the end of the run
}

// align is the alignment of values in the arena.
const align = 64

// read reads a function of known sizes, whose first result is the loss.
func read(f *ir.Func) (*graph, error) {
	if len(f.Body.Results) == 0 {
		return nil, errors.New("the function has no result, want a loss")
	}
	g := &graph{ids: map[*ir.Value]int{}, roots: map[*ir.Value]*ir.Value{}, loss: -1}
	states := map[*ir.Value]int{}
	for i, s := range f.State {
		states[s.Param] = i
	}
	for i, n := range f.Body.Nodes {
		x, err := g.node(n, states)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		g.nodes = append(g.nodes, x)
		g.flops += x.work
		for _, v := range n.Out {
			if v != nil && v == f.Body.Results[0] {
				g.loss = i
			}
		}
	}
	late := slices.Clone(f.Body.Results)
	for _, s := range f.State {
		late = append(late, s.Next)
	}
	for _, v := range late {
		if id, ok := g.ids[g.root(v)]; ok {
			g.values[id].late = true
		}
	}
	return g, nil
}

func (g *graph) root(v *ir.Value) *ir.Value {
	if r := g.roots[v]; r != nil {
		return r
	}
	return v
}

// node reads one node, which is not yet in the graph.
func (g *graph) node(n *ir.Node, states map[*ir.Value]int) (node, error) {
	o := op.Lookup(n)
	x := node{}
	reads := n.In
	for _, r := range n.Regions {
		reads = append(reads[:len(reads):len(reads)], r.Captures()...)
	}
	for _, v := range reads {
		v = g.root(v)
		if id, ok := g.ids[v]; ok {
			x.in = append(x.in, id)
		}
		if s, ok := states[v]; ok {
			x.states = append(x.states, s)
		}
	}
	for _, v := range op.Overwritable(n) {
		if id, ok := g.ids[g.root(v)]; ok {
			x.over = append(x.over, id)
		}
	}
	if o.Alias {
		g.roots[n.Out[0]] = g.root(n.In[0])
		x.in, x.over = nil, nil // no code runs
		return x, nil
	}
	for i, k := range o.Updates {
		if s, ok := states[g.root(n.Arg(k))]; ok && n.Res(i) != nil {
			x.changes = append(x.changes, s)
			g.roots[n.Out[i]] = g.root(n.In[k])
		}
	}
	x.again = !o.Effect && !o.Random && len(o.Updates) == 0 && len(n.Regions) == 0 && len(n.Syms) == 0
	if d, ok := o.Work(n).Const(); ok {
		x.work = d
	}
	x.price = x.work
	for _, v := range n.Out {
		if v == nil || g.roots[v] != nil {
			continue
		}
		size, err := bytes(v)
		if err != nil {
			return x, err
		}
		x.again = x.again && v.ElemSyms == nil
		x.price += size / 4
		g.ids[v] = len(g.values)
		x.out = append(x.out, len(g.values))
		g.values = append(g.values, value{bytes: size, def: len(g.nodes)})
	}
	err := x.scratch(o, n)
	return x, err
}

// scratch determines the memory that n needs while it runs.
func (x *node) scratch(o *op.Op, n *ir.Node) error {
	if o.Lower == nil {
		return nil
	}
	l := &op.Lowering{Node: n}
	if err := o.Lower(l); err != nil {
		return err
	}
	for _, v := range l.Temps {
		size, err := bytes(v)
		if err != nil {
			return err
		}
		x.temps += size
	}
	if len(l.Calls) != 1 {
		x.over = nil
	}
	return nil
}

// bytes returns the size of v in the arena.
func bytes(v *ir.Value) (int, error) {
	if v.Type.Kind != ir.Tensor || v.Type.Elem.Size() == 0 {
		return 0, nil // it is stored elsewhere
	}
	n, ok := ir.Size(v.Type.Shape).Const()
	if !ok {
		return 0, fmt.Errorf("value %q is %s: a limit of memory needs sizes that are known, give symbolic ones a value with --bind", v.Name, v.Type)
	}
	return (n*v.Type.Elem.Size() + align - 1) / align * align, nil
}
