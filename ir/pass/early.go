package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Early moves nodes that change states in place, and nodes that compute single numbers, to the earliest
// position where they may run: the memory of a gradient is free after its parameter has been updated. The
// other nodes keep their order.
var Early = &Pass{Name: "early", Run: early, After: []*Pass{DCE}}

func early(_ *Context, m *ir.Module) error {
	if len(m.Main.State) == 0 {
		return nil
	}
	body := m.Main.Body
	o := &mover{states: map[*ir.Value]bool{}, defined: map[*ir.Value]int{}, read: map[*ir.Value]int{}, base: map[*ir.Value]*ir.Value{}}
	for _, s := range m.Main.State {
		o.states[s.Param] = true
	}
	slots := make([][]*ir.Node, len(body.Nodes)+1) // slot k begins with node k-1, unless that moves; slot 0 precedes all
	for i, n := range body.Nodes {
		at := i + 1
		if o.moves(n) {
			at = o.first(n)
		}
		slots[at] = append(slots[at], n)
		o.note(n, at)
	}
	body.Nodes = slices.Concat(slots...)
	return nil
}

// moves reports whether n moves to the earliest slot in which it may run.
func (o *mover) moves(n *ir.Node) bool {
	if k := op.Lookup(n).Updates; len(k) > 0 {
		return o.states[o.root(n.Arg(k[0]))]
	}
	return number(n)
}

// number reports whether n computes a single number and may be moved.
func number(n *ir.Node) bool {
	o := op.Lookup(n)
	if o.Effect || o.Random || len(n.Regions) > 0 || len(n.Syms) > 0 {
		return false
	}
	for _, v := range n.Out {
		if v != nil && (v.ElemSyms != nil || v.Type.Kind != ir.Tensor || !ir.Size(v.Type.Shape).Is(1)) {
			return false
		}
	}
	return true
}

// mover tracks, as numbers of slots, when values are defined and last read.
type mover struct {
	states  map[*ir.Value]bool // values of states at the start of the run
	defined map[*ir.Value]int
	read    map[*ir.Value]int
	base    map[*ir.Value]*ir.Value // the value that a view refers to
}

func (o *mover) root(v *ir.Value) *ir.Value {
	if x := o.base[v]; x != nil {
		return x
	}
	return v
}

// first returns the first slot in which n may run: its inputs are defined, and no later node reads the values
// that it changes.
func (o *mover) first(n *ir.Node) int {
	at := 0
	for _, v := range n.In {
		at = max(at, o.defined[v])
	}
	for i, k := range op.Lookup(n).Updates {
		if n.Res(i) != nil {
			at = max(at, o.read[o.root(n.Arg(k))])
		}
	}
	return at
}

// note records that n runs in a slot.
func (o *mover) note(n *ir.Node, at int) {
	reads := slices.Clone(n.In)
	for _, in := range n.Regions {
		reads = append(reads, in.Captures()...)
	}
	for _, v := range reads {
		x := o.root(v)
		o.read[x] = max(o.read[x], at)
	}
	for _, v := range n.Out {
		o.defined[v] = at
	}
	if op.Lookup(n).Alias && n.Arg(op.X) != nil {
		o.base[n.Out[0]] = o.root(n.In[op.X])
	}
	for i, k := range op.Lookup(n).Updates { // the next value of a state is in the state's memory
		if x := o.root(n.Arg(k)); n.Res(i) != nil && o.states[x] {
			o.base[n.Out[i]] = x
		}
	}
}
