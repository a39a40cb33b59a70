package recompute

import (
	"cmp"
	"math"
	"slices"
)

// tried is the number of best moves, by their last evaluation, that are evaluated again before each choice.
const tried = 24

// excess returns the peak of memory, and the sum over all steps of the memory beyond a limit. The peak is -1
// for an impossible set.
func (g *graph) excess(again set, limit int) (peak, sum int) {
	s := g.schedule(again)
	if s.bad {
		return -1, -1
	}
	for _, n := range s.memory() {
		peak = max(peak, n)
		sum += max(0, n-limit)
	}
	return peak, sum
}

// chooser drops one value after the other. It chooses the value that saves the most excess memory for each
// operation it costs.
type chooser struct {
	*graph
	again set
	limit int
	worth map[key]float64 // of moves, by their last evaluation
}

// move is a set of values to drop together.
type move struct {
	key
	drop []int
}

// key identifies a move by its value, and by whether other values are dropped with it.
type key struct {
	value int
	more  bool
}

// reach drops values until all steps need at most limit bytes. It reports whether that is possible.
func (c *chooser) reach(limit int) bool {
	c.limit, c.worth = limit, map[key]float64{}
	for {
		_, sum := c.excess(c.again, limit)
		if sum == 0 {
			c.restore()
			return true
		}
		best := c.best(sum)
		if best == nil {
			return false
		}
		c.toggle(best.drop, true)
	}
}

// best returns the best move, or nil if no move saves memory. It does not evaluate moves again that had a low
// value before.
func (c *chooser) best(sum int) *move {
	moves := c.moves()
	last := func(m *move) float64 {
		if w, ok := c.worth[m.key]; ok {
			return w
		}
		return math.Inf(1)
	}
	slices.SortStableFunc(moves, func(a, b *move) int { return cmp.Compare(last(b), last(a)) })
	var best *move
	for i, m := range moves {
		if i >= tried && best != nil && c.worth[best.key] >= last(m) {
			break
		}
		c.worth[m.key] = c.value(m, sum)
		if w := c.worth[m.key]; w > 0 && (best == nil || w > c.worth[best.key]) {
			best = m
		}
	}
	return best
}

// value returns the part of the excess that a move saves for each operation.
func (c *chooser) value(m *move, sum int) float64 {
	price := c.toggle(m.drop, true)
	_, left := c.excess(c.again, c.limit)
	c.toggle(m.drop, false)
	if left < 0 || left >= sum {
		return 0
	}
	return float64(sum-left) / float64(price+1)
}

// toggle drops or keeps values. It returns the cost of their nodes.
func (c *chooser) toggle(vs []int, drop bool) (price int) {
	for _, v := range vs {
		c.again[v] = drop
		price += c.nodes[c.values[v].def].price
	}
	return price
}

// moves returns the possible next moves: a single value, or a value with all values that are no longer live
// when it is recomputed.
func (c *chooser) moves() []*move {
	s := c.schedule(c.again)
	needs := s.needs()
	var out []*move
	for v, x := range c.values {
		if x.def >= c.loss || needs[v] == 0 || !c.droppable(v) {
			continue
		}
		out = append(out, &move{key{v, false}, []int{v}})
		if all := c.closure(s, v, needs[v]); len(all) > 1 {
			out = append(out, &move{key{v, true}, all})
		}
	}
	return out
}

// droppable reports whether v may be dropped and is not yet.
func (c *chooser) droppable(v int) bool {
	x := c.values[v]
	return !c.again[v] && !x.late && c.nodes[x.def].again
}

// closure returns v and the values from which it is computed, back to those that are live when v is
// recomputed.
func (c *chooser) closure(s *schedule, v, need int) []int {
	all := []int{v}
	for i := 0; i < len(all); i++ {
		for _, u := range c.nodes[c.values[all[i]].def].in {
			if s.until[u] < need && c.droppable(u) && !slices.Contains(all, u) {
				all = append(all, u)
			}
		}
	}
	return all
}

// needs returns, by value, the first step of the backward pass that reads it.
func (s *schedule) needs() []int {
	first := make([]int, len(s.values))
	for k := len(s.steps) - 1; k > s.loss; k-- {
		for _, v := range s.nodes[s.steps[k].node].in {
			first[v] = k
		}
	}
	return first
}

// restore keeps values that need not be dropped after all, the most expensive first.
func (c *chooser) restore() {
	var dropped []int
	for v, again := range c.again {
		if again {
			dropped = append(dropped, v)
		}
	}
	slices.SortStableFunc(dropped, func(a, b int) int {
		return cmp.Compare(c.nodes[c.values[b].def].price, c.nodes[c.values[a].def].price)
	})
	for _, v := range dropped {
		c.again[v] = false
		if _, sum := c.excess(c.again, c.limit); sum != 0 {
			c.again[v] = true
		}
	}
}

// cost returns the number of repeated nodes and of their operations.
func (g *graph) cost(again set) (nodes, work int) {
	for _, st := range g.schedule(again).steps {
		if st.copy {
			nodes++
			work += g.nodes[st.node].work
		}
	}
	return nodes, work
}
