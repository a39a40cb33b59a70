package collectives

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/collective"
)

// check compares all results with the plain computation.
func (g *game) check() error {
	for rank := range g.c.Ranks {
		if g.failed[rank] != nil {
			g.seen.Errors++
		}
		switch {
		case g.isDone(rank) || g.c.mayFail(rank):
		case g.c.allows(g.failed[rank]):
			g.seen.Stops++
		default:
			return fmt.Errorf("rank %d has %d of %d results: %v", rank, g.made[rank], g.c.Rounds*len(g.c.Calls), g.failed[rank])
		}
	}
	if err := g.checkEnds(); err != nil {
		return err
	}
	for call := range g.c.Calls {
		for round := range g.c.Rounds {
			if err := g.checkCall(call, round); err != nil {
				return fmt.Errorf("call %d of round %d, %+v: %w", call, round, g.c.Calls[call].Spec, err)
			}
		}
	}
	return nil
}

// checkEnds compares how far ranks have come that only lose others: if a majority stays, a call without its root fails on
// all of them or on none.
func (g *game) checkEnds() error {
	first := -1
	for rank := range g.c.Ranks {
		switch {
		case g.c.mayFail(rank) || !g.c.keepsMajority():
		case first < 0:
			first = rank
		case g.made[rank] != g.made[first]:
			return fmt.Errorf("rank %d has %d results and rank %d has %d: %v, %v", first, g.made[first], rank, g.made[rank], g.failed[first], g.failed[rank])
		}
	}
	return nil
}

// checkCall searches for the set of ranks in the results of a call. The last result of a rank that was excluded
// may be of another set than that of the others: it got its result before they did.
func (g *game) checkCall(call, round int) error {
	with := uint(0) // ranks that have a result
	for rank := range g.c.Ranks {
		switch {
		case !g.hasResult(rank, call, round):
		case !g.endsWith(rank, call, round):
			with |= 1 << rank
		case !g.isOf(call, round, 1<<rank):
			return fmt.Errorf("the result of rank %d, which is its last, is of no ranks: %v", rank, g.resultLines(call, round))
		}
	}
	if with != 0 && !g.isOf(call, round, with) {
		return fmt.Errorf("the results of ranks %b are of no ranks, or not of all: %v", with, g.resultLines(call, round))
	}
	return nil
}

// endsWith reports whether a result is the last one of its call on a rank that has left, has ended with an error or was
// excluded: one that has all its results when it is told so ends without an error. A result without elements does not count,
// as it needs nothing of the others, which may have come no further than before.
func (g *game) endsWith(rank, call, round int) bool {
	next := round + 1
	if g.hasResult(rank, call, next) && len(g.c.value(call, next, rank).Data) == 0 {
		next++
	}
	return !g.hasResult(rank, call, next) && (g.failed[rank] != nil || g.net.Node(rank) == nil || g.leftOut[rank])
}

func (g *game) hasResult(rank, call, round int) bool {
	_, ok := g.results[place{rank, call, round}]
	return ok
}

// isOf reports whether a set of ranks that includes some explains the results of all of these.
func (g *game) isOf(call, round int, some uint) bool {
	g.seen.Results++
	all := uint(1)<<g.c.Ranks - 1
	if g.explains(call, round, all, some) {
		return true
	}
	if g.c.IfLost != collective.Repeat {
		return false
	}
	g.seen.Fewer++
	for set := all; set != 0; set = (set - 1) & all {
		if set&some == some && g.explains(call, round, set, some) {
			return true
		}
	}
	return false
}

// unneeded reports whether some ranks have the result of a call, their own value, although a rank takes no part in it: that of
// a reduction whose root leaves, which they cannot know.
func (g *game) unneeded(rank, call int, some uint) bool {
	s := &g.c.Calls[call].Spec
	return s.Kind == collective.Reduce && rank == s.Root && some>>rank&1 == 0 && g.c.leaves(rank)
}

func (g *game) resultLines(call, round int) (list []string) {
	for rank := range g.c.Ranks {
		if b, ok := g.results[place{rank, call, round}]; ok {
			list = append(list, fmt.Sprintf("rank %d: %x", rank, b))
		}
	}
	return list
}

// explains reports whether a call of a set of ranks gives some of them their results.
func (g *game) explains(call, round int, set, some uint) bool {
	var members []int
	var values []collective.Value
	for rank := range g.c.Ranks {
		if set>>rank&1 != 0 {
			if g.c.spoils(rank, call, round) && !g.unneeded(rank, call, some) {
				return false
			}
			members = append(members, rank)
			values = append(values, g.c.value(call, round, rank))
		}
	}
	s := g.c.Calls[call].Spec
	if s.Root = slices.Index(members, s.Root); s.Root < 0 {
		if s.Kind == collective.Broadcast || s.Kind == collective.Reduce {
			return false
		}
		s.Root = 0
	}
	want := s.Evaluate(values)
	for i, rank := range members {
		if some>>rank&1 != 0 && !bytes.Equal(g.results[place{rank, call, round}], want[i]) {
			return false
		}
	}
	return true
}
