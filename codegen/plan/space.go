package plan

import (
	"cmp"
	"math"
	"slices"
)

// space is memory in which variables share places while they are not live at the same time.
type space struct {
	groups []*shelves // by offset
	full   *full
}

// shelves has the variables at some offsets that follow each other. Most searches pass over it as a whole.
type shelves struct {
	extent
	list []shelf // by offset; not empty
}

// maxGroup is the maximum number of shelves of a group: about the square root of the offsets of a large graph.
const maxGroup = 128

// shelf has the variables at one offset. Their lives do not meet.
type shelf struct {
	extent
	off  int
	held []stay // by time
}

// extent is the steps and the bytes up to which variables reach.
type extent struct {
	span     // from the first life to the last
	end  int // of the largest variable
}

// stay is a life of a variable in a space, which ends at a byte.
type stay struct {
	span
	end int
}

// newSpace returns a space without variables, for lives that end at the last step or at the end of the run.
func newSpace(last int) *space { return &space{full: newFull(last + 1)} }

// place returns the lowest offset at which x has room during its life, and places it there.
//
// NB: where gaps remain at each step, it goes through all offsets above the first of them, of which there may be as many as
// variables that live at the same time.
func (s *space) place(x *Var, size int) int {
	if size == 0 {
		return 0
	}
	off := 0
	for _, l := range x.lives {
		off = max(off, s.full.most(l))
	}
	life := span{x.from(), x.to()}
	for _, g := range s.groups {
		if off+size <= g.list[0].off {
			break
		}
		if g.reaches(life, off) {
			off = g.above(x, life, off, size)
		}
	}
	s.put(x, off, off+size)
	return off
}

// above returns the lowest offset from off on at which x has room, as far as the variables in g are concerned.
func (g *shelves) above(x *Var, life span, off, size int) int {
	for i := range g.list {
		h := &g.list[i]
		if off+size <= h.off {
			break
		}
		if h.reaches(life, off) {
			off = max(off, h.taken(x))
		}
	}
	return off
}

// reaches reports whether a variable may be above an offset during a life.
func (e *extent) reaches(life span, off int) bool {
	return e.end > off && e.from <= life.to && life.from <= e.to
}

// put places x.
func (s *space) put(x *Var, off, end int) {
	g, h := s.shelf(off)
	e := extent{span{x.from(), x.to()}, end}
	g.extend(e)
	h.extend(e)
	for _, l := range x.lives {
		h.held = slices.Insert(h.held, h.after(l.from), stay{l, end})
		s.full.fill(l, off, end)
	}
}

func (e *extent) extend(by extent) {
	e.from, e.to, e.end = min(e.from, by.from), max(e.to, by.to), max(e.end, by.end)
}

// nothing is the extent of no variables.
var nothing = extent{span: span{math.MaxInt, -1}}

// shelf returns the shelf at an offset, which it makes if there is none, and its group.
func (s *space) shelf(off int) (*shelves, *shelf) {
	k, ok := slices.BinarySearchFunc(s.groups, off, func(g *shelves, off int) int { return cmp.Compare(g.list[0].off, off) })
	if !ok {
		k-- // the group before
	}
	if len(s.groups) == 0 {
		s.groups = append(s.groups, &shelves{extent: nothing})
	}
	g := s.groups[max(k, 0)]
	i, ok := slices.BinarySearchFunc(g.list, off, func(h shelf, off int) int { return cmp.Compare(h.off, off) })
	if ok {
		return g, &g.list[i]
	}
	if len(g.list) == maxGroup {
		s.groups = slices.Insert(s.groups, max(k, 0)+1, g.split())
		return s.shelf(off)
	}
	g.list = slices.Insert(g.list, i, shelf{extent: nothing, off: off})
	return g, &g.list[i]
}

// split removes the upper half of a group, and returns it.
func (g *shelves) split() *shelves {
	all := g.list
	upper := &shelves{list: slices.Clone(all[maxGroup/2:])}
	g.list = all[:maxGroup/2]
	for _, g := range []*shelves{g, upper} {
		g.extent = nothing
		for i := range g.list {
			g.extend(g.list[i].extent)
		}
	}
	return upper
}

// after returns the index of the first life on a shelf that ends at a step or later.
func (h *shelf) after(step int) int {
	if len(h.held) <= short {
		for i := range h.held {
			if h.held[i].to >= step {
				return i
			}
		}
		return len(h.held)
	}
	i, _ := slices.BinarySearchFunc(h.held, step, func(s stay, step int) int { return cmp.Compare(s.to, step) })
	return i
}

// short is the length of a list in which a search for a life goes through all of them, which is faster.
const short = 16

// taken returns the end of what is on a shelf during the life of x, or 0 if there is nothing.
func (h *shelf) taken(x *Var) int {
	end := 0
	for _, l := range x.lives {
		for i := h.after(l.from); i < len(h.held) && h.held[i].from <= l.to; i++ {
			end = max(end, h.held[i].end)
		}
	}
	return end
}
