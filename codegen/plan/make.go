package plan

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/target"
)

// Make plans a function for a target; nil is [target.Default]. Its nodes must have types and be expanded.
func Make(f *ir.Func, t *target.Target) (*Plan, error) { return makePlan(f, options{target: t}) }

// ForPeer is like [Make] for a computation of a peer. A vector of floating-point numbers that comes in with an unknown length
// is long there: it is all parameters of a model, or their changes. So operators on it become a chain.
func ForPeer(f *ir.Func, t *target.Target) (*Plan, error) {
	long := map[string]bool{}
	for _, v := range f.Body.Params {
		if s := v.Type.Shape; v.Type.Kind == ir.Tensor && v.Type.Elem.IsFloat() && len(s) == 1 {
			if name, free := s[0].Symbol(); free {
				long[name] = true
			}
		}
	}
	return makePlan(f, options{target: t, longVectors: long})
}

// Flat is like [Make] without chains and blocks: each call processes all elements. It is for callers that
// execute the calls instead of printing them.
func Flat(f *ir.Func, t *target.Target) (*Plan, error) {
	return makePlan(f, options{target: t, flat: true})
}

// options say how a function is planned.
type options struct {
	target      *target.Target
	flat        bool            // without chains and blocks
	longVectors map[string]bool // as in [Plan]
}

func makePlan(f *ir.Func, o options) (*Plan, error) {
	p, err := stepsOf(f, target.Or(o.target))
	if err != nil {
		return nil, err
	}
	p.longVectors = o.longVectors
	p.prune()
	if !o.flat {
		p.addChains()
	}
	p.findLives()
	p.share()
	p.assignStates()
	if !o.flat {
		p.roll()
	}
	last := p.findLives()
	if err := p.allocate(last); err != nil {
		return nil, err
	}
	if err := p.Verify(); err != nil {
		return nil, fmt.Errorf("BUG: the plan of %q is wrong: %w", f.Name, err)
	}
	return p, nil
}

// stepsOf returns the plan with the steps of all nodes, in their order. Its variables have a kind of place, and no
// place yet.
func stepsOf(f *ir.Func, t *target.Target) (*Plan, error) {
	b := newBuilder(t)
	for i, v := range f.Body.Params {
		if t := v.Type; t.Kind == ir.Sequence && t.Of.Kind == ir.Map {
			return nil, fmt.Errorf("input %q is %s: a list of maps can only be an output", v.Name, t)
		}
		b.Inputs = append(b.Inputs, &Port{Value: v, Var: b.place(v, Input, i)})
		b.bindShape(v)
		b.bindElems(v)
	}
	b.keepStates(f)
	steps, err := b.region(f.Body)
	if err != nil {
		return nil, err
	}
	b.Steps = append(b.Steps, steps...)
	if err := b.checkStates(); err != nil {
		return nil, err
	}
	b.nextStates()
	for i, v := range f.Body.Results {
		b.Outputs = append(b.Outputs, b.output(v, i))
	}
	return b.Plan, nil
}
