package recompute

import (
	"cmp"
	"iter"
	"slices"
)

// candidate is a set of values to drop, with its memory and cost.
type candidate struct {
	again set
	peak  int // bytes
	work  int // operations of repeated nodes
}

// shrink is the ratio of one target for memory to the target before it.
const shrink = 0.97

// mostSegments limits the number of intervals k at which cuts are kept.
const mostSegments = 16

// candidates returns sets with decreasing memory, ordered by cost. They are built by dropping values one at a
// time, and by segments of the forward pass.
//
// They do not depend on the limit, so that the minimum named in an error is achievable.
func (g *graph) candidates() []candidate {
	var all []candidate
	add := func(again set) candidate {
		peak, _ := g.excess(again, 0)
		_, work := g.cost(again)
		all = append(all, candidate{slices.Clone(again), peak, work})
		return all[len(all)-1]
	}
	start := add(make(set, len(g.values)))
	for again := range g.smaller(start) {
		add(again)
	}
	cuts := g.cuts()
	var low candidate
	for k := 1; k <= min(len(cuts), mostSegments); k++ {
		if x := add(g.segments(cuts, k)); low.again == nil || x.peak < low.peak && x.peak >= 0 {
			low = x
		}
	}
	if low.again != nil {
		for again := range g.smaller(low) {
			add(again)
		}
	}
	all = slices.DeleteFunc(all, func(x candidate) bool { return x.peak < 0 })
	slices.SortStableFunc(all, func(x, y candidate) int { return cmp.Compare(x.work, y.work) })
	return all
}

// smaller yields sets that each need less memory than the one before, as long as there are any. The caller must
// not keep them.
func (g *graph) smaller(from candidate) iter.Seq[set] {
	return func(yield func(again set) bool) {
		c := &chooser{graph: g, again: slices.Clone(from.again)}
		for target := float64(from.peak) * shrink; c.reach(int(target)) && yield(c.again); {
			target *= shrink
		}
	}
}

// cuts returns the values that separate the forward pass: at some step, no other large value is live.
func (g *graph) cuts() []int {
	last := make([]int, len(g.values))
	largest := 0
	for i := 0; i <= g.loss; i++ {
		for _, v := range g.nodes[i].in {
			last[v] = i
		}
	}
	for _, x := range g.values {
		if x.def <= g.loss {
			largest = max(largest, x.bytes)
		}
	}
	count, sum := make([]int, g.loss+2), make([]int, g.loss+2) // number of live values, and the sum of their indices
	for v, x := range g.values {
		if x.def < last[v] && 100*x.bytes >= largest {
			count[x.def]++
			count[last[v]]--
			sum[x.def] += v
			sum[last[v]] -= v
		}
	}
	var cuts []int
	for i := range g.loss + 1 {
		if i > 0 {
			count[i] += count[i-1]
			sum[i] += sum[i-1]
		}
		if count[i] == 1 && (len(cuts) == 0 || cuts[len(cuts)-1] != sum[i]) {
			cuts = append(cuts, sum[i])
		}
	}
	return cuts
}

// segments keeps every k-th cut, and all values that can be kept without cost.
func (g *graph) segments(cuts []int, k int) set {
	c := &chooser{graph: g, again: make(set, len(g.values))}
	for v, x := range g.values {
		at := slices.Index(cuts, v)
		if x.def < g.loss && c.droppable(v) && (at < 0 || at%k != 0) {
			c.again[v] = true
		}
	}
	c.limit, _ = g.excess(c.again, 0)
	if c.limit > 0 {
		c.restore()
	}
	return c.again
}
