package ir

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
)

// Use is one place that reads a value: input Index of Node, or result Index of
// Region, or what State becomes. One of the three is set.
type Use struct {
	Node   *Node
	Region *Region
	State  *State
	Index  int
}

// Set makes the place read v.
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

// Uses lists who reads each value of the function, in the order of the text
// form. Uses in regions inside it are among them.
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

// reads calls yield for every value that is read, as often as it is.
func (f *Func) reads(yield func(v *Value)) { f.eachUse(func(_ Use, v *Value) { yield(v) }) }

// ReplaceAll makes everything that reads old read by instead, in r and in the
// regions inside it.
func (r *Region) ReplaceAll(old, by *Value) {
	r.Replace(map[*Value]*Value{old: by})
}

// Replace is [Region.ReplaceAll] for many values at once. A value that stands
// for another may itself be replaced.
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

// Captures returns the values that r reads and that neither it nor a region inside
// it defines, in the order of their first use. Constants are not among them.
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

// Rewrite replaces every node by the nodes that f returns: the node itself to
// keep it, none to remove it. Nodes of inner regions come before the node that
// has the region.
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

// RemoveIf removes the nodes for which dead says so, from the last to the first
// and inner ones before outer ones, so that dead has seen the readers of a
// node's outputs before the node.
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

// Sort brings the nodes of r, and of the regions inside it, into an order in
// which they can run. A node moves only if it must: a sorted region stays as it
// is, and nodes with effects that are in order stay in order.
//
// It is an error when nodes wait for each other; r is then left as it was.
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

// order returns the nodes of r sorted, nil if they are already.
func (r *Region) order() ([]*Node, error) {
	def := map[*Value]int{} // the position of the node that defines a value, also in its regions
	for i, n := range r.Nodes {
		for _, v := range n.Out {
			def[v] = i
		}
		for _, in := range n.Regions {
			in.Values(func(v *Value) { def[v] = i })
		}
	}
	waits := make([]int, len(r.Nodes)) // for how many others a node waits
	readers := make([][]int, len(r.Nodes))
	sorted := true
	for i, n := range r.Nodes {
		before := map[int]bool{}
		one := &Region{Nodes: []*Node{n}}
		one.eachUse(func(_ Use, v *Value) {
			// What a region defines is the region's own affair; its node's outputs are not.
			if d, ok := def[v]; ok && (d != i || v.Def == n) && !before[d] {
				before[d] = true
				waits[i]++
				readers[d] = append(readers[d], i)
				sorted = sorted && d < i
			}
		})
	}
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
		return nil, fmt.Errorf("%s waits for itself", r.Nodes[onCycle(readers, waits)])
	}
	return out, nil
}

// onCycle returns the position of a node that waits for itself. Who still waits,
// waits for one that still waits: the walk from reader to what it reads ends
// in a circle.
func onCycle(readers [][]int, waits []int) int {
	reads := map[int]int{} // of those that wait, one that each waits for
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

// intHeap is the positions of nodes that are ready, the smallest first.
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
