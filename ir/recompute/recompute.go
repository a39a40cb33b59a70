// Package recompute reduces the memory of a training step: values of the forward pass that only the backward
// pass still reads are dropped, and recomputed when needed. The results are the same bit for bit. It rewrites
// a graph and depends neither on losses nor on Go code.
package recompute

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// Report describes the cost of a memory limit.
type Report struct {
	Before, After int     // bytes of the arena
	Nodes         int     // number of nodes that run a second time
	Extra         float64 // their operations, relative to those of the original step
}

// String returns for the command line how the arena and the work have changed.
func (r *Report) String() string {
	if r.Nodes == 0 {
		return fmt.Sprintf("arena %d bytes: nothing need be computed again", r.After)
	}
	return fmt.Sprintf("arena %d bytes instead of %d: nodes that run again: %d, %.1f%% more FLOPs", r.After, r.Before, r.Nodes, 100*r.Extra)
}

// Pass returns [Within] as a pass, which calls told with the report.
func Pass(limit int, arena func(f *ir.Func) (int, error), told func(*Report)) *pass.Pass {
	run := func(_ *pass.Context, m *ir.Module) error {
		r, err := Within(m, limit, arena)
		if err == nil {
			told(r)
		}
		return err
	}
	return &pass.Pass{Name: "recompute", Run: run, After: []*pass.Pass{pass.Early}}
}

// Within rewrites the main function so that its arena takes at most limit bytes. The first result of the
// function separates its forward and backward pass. The function arena plans a function and returns the size
// of its arena.
func Within(m *ir.Module, limit int, arena func(f *ir.Func) (int, error)) (*Report, error) {
	g, err := read(m.Main)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.File, err)
	}
	before, err := arena(m.Main)
	if err != nil || before <= limit {
		return &Report{Before: before, After: before}, err
	}
	f := &fitter{graph: g, m: m, arena: arena, limit: limit, before: before, smallest: before}
	all := g.candidates()
	low := slices.MinFunc(all, func(x, y candidate) int { return cmp.Compare(x.peak, y.peak) })
	for _, x := range all {
		if x.peak > max(limit+limit/4, low.peak+low.peak/20) { // too large for the plan to compensate
			continue
		}
		if r, err := f.try(x); r != nil || err != nil {
			return r, err
		}
	}
	return nil, fmt.Errorf("%s: a step needs %d bytes of memory for values that live at the same time, and at least %d if what can be computed again is; the limit is %d", m.File, before, f.smallest, limit)
}

// fitter searches for a set with a plan within the limit.
type fitter struct {
	*graph
	m        *ir.Module
	arena    func(f *ir.Func) (int, error)
	limit    int
	before   int
	smallest int // smallest arena so far
}

// try rewrites the module if its plan is then within the limit; otherwise the report is nil.
func (f *fitter) try(x candidate) (*Report, error) {
	m := f.m.Clone()
	f.apply(m, x.again)
	after, err := f.arena(m.Main)
	if err != nil {
		return nil, err
	}
	f.smallest = min(f.smallest, after)
	if after > f.limit {
		return nil, nil
	}
	*f.m = *m
	nodes, work := f.cost(x.again)
	return &Report{f.before, after, nodes, float64(work) / float64(max(f.flops, 1))}, nil
}
