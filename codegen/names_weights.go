package codegen

import (
	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/codegen/plan"
)

// nameWeights names the constants that have fields of their own: all except those that only repetitions of
// blocks read.
func (e *names) nameWeights() {
	own := map[*plan.Weight]bool{}
	e.readsWeights(e.p.Steps, nil, func(w *plan.Weight) { own[w] = true })
	for _, b := range e.p.Blocks {
		e.readsWeights(b.Steps, e.blocks[b], func(w *plan.Weight) { own[w] = true })
	}
	for _, p := range e.p.Outputs {
		if p.Source != nil && p.Source.Place == plan.Constant {
			own[e.p.Weights[p.Source.Index]] = true
		}
	}
	fields := ident.NewScope("load")
	for _, b := range e.weighted() {
		fields.Take(e.blocks[b].fn)
	}
	for _, w := range e.p.Weights {
		if own[w] {
			e.consts[w] = fields.Local(w.Name)
		}
	}
}

// readsWeights calls f for the constants that steps read from fields of their own. The steps are those of a block, or
// of none.
func (e *names) readsWeights(steps []plan.Step, within *blockNames, f func(w *plan.Weight)) {
	for _, s := range steps {
		e.p.Touches(s, func(x *plan.Var) {
			if x.Place == plan.Constant && (within == nil || within.consts[x] == "") {
				f(e.p.Weights[x.Index])
			}
		})
		for _, body := range plan.Bodies(s) {
			e.readsWeights(body, within, f)
		}
	}
}

// weighted returns the blocks with different weights in each repetition.
func (e *names) weighted() []*plan.Block {
	var out []*plan.Block
	for _, b := range e.p.Blocks {
		if len(b.Consts) > 0 {
			out = append(out, b)
		}
	}
	return out
}
