package ir

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
)

// Use is a use of a value: input Index of Node, result Index of Region, or the next value of State. One of
// the three is set.
type Use struct {
	Node   *Node
	Region *Region
	State  *State
	Index  int
}

// Set replaces the used value by v.
func (u Use) Set(v *Value) {
	switch {
	case u.Node != nil:
		u.Node.In[u.Index] = v
	case u.Region != nil:
		u.Region.Results[u.Index] = v
	default:
		u.State.Next = v
	}
}

// Uses lists the uses of each value of the function, in the order of the text form, including uses in nested
// regions.
func (f *Func) Uses() map[*Value][]Use {
	uses := map[*Value][]Use{}
	f.eachUse(func(u Use, v *Value) { uses[v] = append(uses[v], u) })
	return uses
}

func (f *Func) eachUse(yield func(u Use, v *Value)) {
	f.Body.eachUse(yield)
	for _, s := range f.State {
		if s != nil && s.Next != nil {
			yield(Use{State: s}, s.Next)
		}
	}
}

func (r *Region) eachUse(yield func(u Use, v *Value)) {
	if r == nil {
		return
	}
	for _, n := range r.Nodes {
		if n == nil {
			continue
		}
		for i, v := range n.In {
			if v != nil {
				yield(Use{Node: n, Index: i}, v)
			}
		}
		for _, in := range n.Regions {
			in.eachUse(yield)
		}
	}
	for i, v := range r.Results {
		if v != nil {
			yield(Use{Region: r, Index: i}, v)
		}
	}
}

// reads calls yield for each use of a value.
func (f *Func) reads(yield func(v *Value)) { f.eachUse(func(_ Use, v *Value) { yield(v) }) }

// ReplaceAll replaces all uses of old by by, in r and in nested regions.
func (r *Region) ReplaceAll(old, by *Value) {
	r.Replace(map[*Value]*Value{old: by})
}

// Replace is like [Region.ReplaceAll], for several values at once. A replacement may itself be replaced.
func (r *Region) Replace(by map[*Value]*Value) { r.eachUse(replaceIn(by)) }

// ReplaceAll is [Region.ReplaceAll] for the whole function, states included.
func (f *Func) ReplaceAll(old, by *Value) {
	f.Replace(map[*Value]*Value{old: by})
}

// Replace is [Region.Replace] for the whole function, states included.
func (f *Func) Replace(by map[*Value]*Value) { f.eachUse(replaceIn(by)) }

func replaceIn(by map[*Value]*Value) func(u Use, v *Value) {
	return func(u Use, v *Value) {
		to, ok := by[v]
		for range by { // no chain is longer
			next, more := by[to]
			if !more || next == to {
				break
			}
			to = next
		}
		if ok {
			u.Set(to)
		}
	}
}

// Captures returns the values that r reads but that neither r nor a nested region defines, in the order of
// their first use. It does not include constants.
func (r *Region) Captures() []*Value {
	inside := map[*Value]bool{}
	r.Values(func(v *Value) { inside[v] = true })
	var out []*Value
	r.eachUse(func(_ Use, v *Value) {
		if !v.IsConst() && !inside[v] {
			inside[v] = true
			out = append(out, v)
		}
	})
	return out
}

// Rewrite replaces every node by the nodes that f returns: the node itself to keep it, or none to remove it.
// Nodes of nested regions are visited before the node that has the region.
func (r *Region) Rewrite(f func(n *Node) []*Node) {
	out := make([]*Node, 0, len(r.Nodes))
	for _, n := range r.Nodes {
		for _, in := range n.Regions {
			in.Rewrite(f)
		}
		out = append(out, f(n)...)
	}
	r.Nodes = out
}

// RemoveIf removes the nodes for which dead returns true. It visits nodes from the last to the first and
// inner ones before outer ones, so that dead sees the readers of a node's outputs before the node.
func (r *Region) RemoveIf(dead func(n *Node) bool) {
	var kept []*Node
	for _, n := range slices.Backward(r.Nodes) {
		for _, in := range n.Regions {
			in.RemoveIf(dead)
		}
		if !dead(n) {
			kept = append(kept, n)
		}
	}
	slices.Reverse(kept)
	r.Nodes = kept
}

// Sort sorts the nodes of r, and of the regions inside it, into an order in which they can run. A node moves
// only if it must: a sorted region does not change, and nodes with effects keep their order.
//
// It returns an error if nodes depend on each other in a cycle; then r does not change.
func (r *Region) Sort() error {
	for _, n := range r.Nodes {
		for _, in := range n.Regions {
			if err := in.Sort(); err != nil {
				return err
			}
		}
	}
	if order, err := r.order(); err != nil {
		return err
	} else if order != nil {
		r.Nodes = order
	}
	return nil
}

// order returns the nodes of r sorted, or nil if they are already sorted.
func (r *Region) order() ([]*Node, error) {
	waits, readers, sorted := r.dependencies()
	if sorted {
		return nil, nil
	}
	ready := &intHeap{}
	for i, w := range waits {
		if w == 0 {
			heap.Push(ready, i)
		}
	}
	var out []*Node
	for ready.Len() > 0 {
		i := heap.Pop(ready).(int)
		out = append(out, r.Nodes[i])
		for _, k := range readers[i] {
			if waits[k]--; waits[k] == 0 {
				heap.Push(ready, k)
			}
		}
	}
	if len(out) < len(r.Nodes) {
		n := r.Nodes[onCycle(readers, waits)]
		err := fmt.Errorf("%s waits for itself: the graph has a cycle, want none", n)
		if n.Pos != "" {
			err = fmt.Errorf("%s: %w", n.Pos, err)
		}
		return nil, err
	}
	return out, nil
}

// dependencies returns for each node the number of nodes that it depends on, and the nodes that depend on it. It reports
// whether each node stands behind those that it depends on.
func (r *Region) dependencies() (waits []int, readers [][]int, sorted bool) {
	def := map[*Value]int{} // the position of the node that defines a value, also in its regions
	for i, n := range r.Nodes {
		for _, v := range n.Out {
			def[v] = i
		}
		for _, in := range n.Regions {
			in.Values(func(v *Value) { def[v] = i })
		}
	}
	waits = make([]int, len(r.Nodes))
	readers = make([][]int, len(r.Nodes))
	sorted = true
	for i, n := range r.Nodes {
		before := map[int]bool{}
		one := &Region{Nodes: []*Node{n}}
		one.eachUse(func(_ Use, v *Value) {
			// Values that a region defines are internal to it; the outputs of its node are not.
			if d, ok := def[v]; ok && (d != i || v.Def == n) && !before[d] {
				before[d] = true
				waits[i]++
				readers[d] = append(readers[d], i)
				sorted = sorted && d < i
			}
		})
	}
	return waits, readers, sorted
}

// onCycle returns the position of a node on a cycle. Each node that still waits depends on another one that
// still waits, so that walking from reader to definition ends in a cycle.
func onCycle(readers [][]int, waits []int) int {
	reads := map[int]int{} // for each waiting node, one waiting node that it depends on
	for d, list := range readers {
		for _, i := range list {
			if waits[d] > 0 && waits[i] > 0 {
				reads[i] = d
			}
		}
	}
	at := slices.IndexFunc(waits, func(w int) bool { return w > 0 })
	for range waits {
		at = reads[at]
	}
	return at
}

// intHeap is a min-heap of the positions of nodes that are ready.
type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return cmp.Less(h[i], h[j]) }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// Consts returns the constants that the function reads, in the order of their
// first use.
func (f *Func) Consts() []*Value {
	var out []*Value
	seen := map[*Value]bool{}
	f.reads(func(v *Value) {
		if v.IsConst() && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	})
	return out
}
