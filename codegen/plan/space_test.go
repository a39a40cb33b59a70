package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpace: a variable is placed at the lowest offset where it overlaps with no other one that lives at the same time.
func TestSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		last := 1 + rng.IntN(40)
		s := newSpace(last)
		var placed []*Var
		sizes := map[*Var]int{}
		for range rng.IntN(40) {
			x := &Var{}
			for at := 1 + rng.IntN(last); at <= last && len(x.lives) < 3; {
				end := at + rng.IntN(last-at+1)
				x.lives = append(x.lives, span{at, end})
				at = end + 1 + rng.IntN(4)
			}
			if rng.IntN(10) == 0 {
				x.lives[len(x.lives)-1].to = math.MaxInt
			}
			sizes[x] = rng.IntN(4) * (1 + rng.IntN(3))
			free := func(off int) bool {
				for _, y := range placed {
					if off < y.Off+sizes[y] && y.Off < off+sizes[x] && meet(x, y) {
						return false
					}
				}
				return true
			}
			want := 0
			for !free(want) {
				want++
			}
			if x.Off = s.place(x, sizes[x]); x.Off != want {
				t.Fatalf("%d bytes during %v are at %d, want %d", sizes[x], x.lives, x.Off, want)
			}
			placed = append(placed, x)
		}
	}
}

// meet reports whether two variables are live at the same time.
func meet(x, y *Var) bool {
	for _, a := range x.lives {
		for _, b := range y.lives {
			if a.from <= b.to && b.from <= a.to {
				return true
			}
		}
	}
	return false
}

// TestManyOffsets is TestSpace for variables at more offsets than a group has. Many live at the same time, with gaps between them.
func TestManyOffsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const last, n = 60, 500
	for range 10 {
		s := newSpace(last)
		var placed []*Var
		sizes := map[*Var]int{}
		for range n {
			from := rng.IntN(last / 2)
			x := &Var{lives: []span{{from, from + rng.IntN(last-from)}}}
			sizes[x] = 1 + rng.IntN(20)
			want := math.MaxInt // one of the lowest offset and the ends of others
			for k := -1; k < len(placed); k++ {
				off := 0
				if k >= 0 {
					off = placed[k].Off + sizes[placed[k]]
				}
				taken := func(y *Var) bool {
					return off < y.Off+sizes[y] && y.Off < off+sizes[x] && meet(x, y)
				}
				if off < want && !slices.ContainsFunc(placed, taken) {
					want = off
				}
			}
			if x.Off = s.place(x, sizes[x]); x.Off != want {
				t.Fatalf("%d bytes during %v are at %d, want %d", sizes[x], x.lives, x.Off, want)
			}
			placed = append(placed, x)
		}
		if len(s.groups) < 3 {
			t.Errorf("there are %d groups: the test does not see how they are split", len(s.groups))
		}
		for i, g := range s.groups {
			if len(g.list) == 0 || len(g.list) > maxGroup || i > 0 && g.list[0].off <= s.groups[i-1].list[len(s.groups[i-1].list)-1].off {
				t.Errorf("group %d has %d shelves, or is in the wrong place", i, len(g.list))
			}
		}
	}
}

// TestFull: variables that live at the same time are placed without a look at those before.
func TestFull(t *testing.T) {
	const last, n, size = 100, 50, 3
	s := newSpace(last)
	for i := range n {
		l := span{i, last - i} // step 50 is in all of them
		if got := s.full.most(l); got != i*size {
			t.Fatalf("there is no gap below %d, want %d", got, i*size)
		}
		s.place(&Var{lives: []span{l}}, size)
	}
}
