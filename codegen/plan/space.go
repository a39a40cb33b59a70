package plan

import (
	"cmp"
	"slices"
)

// space is memory in which variables share places while they are not live at the same time.
type space struct {
	shelves []*shelf // by offset
	full    *full
}

// shelf has the variables at one offset. Their lives do not meet.
type shelf struct {
	off, end int    // end is that of the largest one
	held     []stay // by time
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
// NB: it goes through all lower offsets, of which there are as many as variables that live at the same time.
func (s *space) place(x *Var, size int) int {
	if size == 0 {
		return 0
	}
	off := 0
	for _, l := range x.lives {
		off = max(off, s.full.most(l))
	}
	for _, h := range s.shelves {
		if off+size <= h.off {
			break
		}
		if h.end > off {
			off = max(off, h.taken(x))
		}
	}
	s.put(x, off, off+size)
	return off
}

// put places x.
func (s *space) put(x *Var, off, end int) {
	i, ok := slices.BinarySearchFunc(s.shelves, off, func(h *shelf, off int) int { return cmp.Compare(h.off, off) })
	if !ok {
		s.shelves = slices.Insert(s.shelves, i, &shelf{off: off})
	}
	h := s.shelves[i]
	h.end = max(h.end, end)
	for _, l := range x.lives {
		h.held = slices.Insert(h.held, h.after(l.from), stay{l, end})
		s.full.fill(l, off, end)
	}
}

// after returns the index of the first life on a shelf that ends at a step or later.
func (h *shelf) after(step int) int {
	i, _ := slices.BinarySearchFunc(h.held, step, func(s stay, step int) int { return cmp.Compare(s.to, step) })
	return i
}

// taken returns the end of what is on a shelf during the life of x, or 0 if there is nothing.
func (h *shelf) taken(x *Var) int {
	end := 0
	for _, l := range x.lives {
		for _, s := range h.held[h.after(l.from):] {
			if s.from > l.to {
				break
			}
			end = max(end, s.end)
		}
	}
	return end
}
