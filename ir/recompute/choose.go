package recompute

import (
	"cmp"
	"math"
	"slices"
)

// tried is how many of the best moves, by what they were worth last, are looked
// at again before one is made.
const tried = 24

// excess returns the peak of memory, and how much the steps need beyond a limit, all
// together. It is -1 for a set that cannot be.
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

// chooser drops one value after the other: the one that saves most memory where
// too much is in use, for each operation that it costs.
type chooser struct {
	*graph
	again set
	limit int
	worth map[key]float64 // of moves, when they were looked at last
}

// move is values to drop together.
type move struct {
	key
	drop []int
}

// key says which value a move is about, and whether others go with it.
type key struct {
	value int
	more  bool
}

// reach drops values until all steps need at most limit bytes, and reports
// whether that is possible.
func (c *chooser) reach(limit int) bool {
	c.limit, c.worth = limit, map[key]float64{}
	for {
		_, sum := c.excess(c.again, limit)
		if sum == 0 {
			c.spare()
			return true
		}
		best := c.best(sum)
		if best == nil {
			return false
		}
		c.toggle(best.drop, true)
	}
}

// best returns the move that is worth most, nil if none is worth anything. Moves that
// were worth little when they were looked at last are not looked at again.
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

// value returns how much of the excess a move saves for each operation.
func (c *chooser) value(m *move, sum int) float64 {
	price := c.toggle(m.drop, true)
	_, left := c.excess(c.again, c.limit)
	c.toggle(m.drop, false)
	if left < 0 || left >= sum {
		return 0
	}
	return float64(sum-left) / float64(price+1)
}

// toggle drops values or keeps them; it returns what their nodes cost.
func (c *chooser) toggle(vs []int, drop bool) (price int) {
	for _, v := range vs {
		c.again[v] = drop
		price += c.nodes[c.values[v].def].price
	}
	return price
}

// moves are what can be dropped next: a value alone, or with all that is not
// there any more when it is computed again.
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

// droppable reports whether v may be dropped, and is not.
func (c *chooser) droppable(v int) bool {
	x := c.values[v]
	return !c.again[v] && !x.late && c.nodes[x.def].again
}

// closure returns v and what it is computed from, back to what lives at the time
// when v is computed again.
func (c *chooser) closure(s *schedule, v, need int) []int {
	all := []int{v}
	for i := 0; i < len(all); i++ {
		for _, u := range c.nodes[c.values[all[i]].def].in {
			if s.first[u] < need && c.droppable(u) && !slices.Contains(all, u) {
				all = append(all, u)
			}
		}
	}
	return all
}

// needs is, by value, the first step of the backward pass that reads it.
func (s *schedule) needs() []int {
	first := make([]int, len(s.values))
	for k := len(s.steps) - 1; k > s.loss; k-- {
		for _, v := range s.nodes[s.steps[k].node].in {
			first[v] = k
		}
	}
	return first
}

// spare keeps what need not be dropped after all, the dearest first.
func (c *chooser) spare() {
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

// cost returns how many nodes run again, and the operations that takes.
func (g *graph) cost(again set) (nodes, work int) {
	for _, st := range g.schedule(again).steps {
		if st.copy {
			nodes++
			work += g.nodes[st.node].work
		}
	}
	return nodes, work
}
