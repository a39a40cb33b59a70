package codegen

import (
	"cmp"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/codegen/plan"
)

// newNames chooses the identifiers of a plan.
func newNames(p *plan.Plan, part string, rate *plan.Port) *names {
	e := &names{
		p: p, part: part, rate: rate, states: map[string]string{},
		vars: map[*plan.Var]string{}, syms: map[string]string{}, field: map[string]string{},
		ins: map[*plan.Port]string{}, outs: map[*plan.Port]string{}, consts: map[*plan.Weight]string{},
		blocks: map[*plan.Block]*blockNames{}, chains: map[*plan.Chain]*chainType{},
	}
	e.nameBlocks()
	e.nameChains()
	e.namePorts()
	e.nameStates()
	e.nameVars()
	e.nameWeights()
	return e
}

// namePorts names the fields of Inputs and Outputs.
func (e *names) namePorts() {
	inputs, outputs := ident.NewScope(), ident.NewScope()
	for _, x := range e.p.Inputs {
		if x == e.rate {
			e.ins[x] = "rate"
			continue
		}
		e.ins[x] = inputs.Exported(x.Value.Name)
	}
	for _, s := range e.inputSyms() {
		e.sizes = append(e.sizes, s)
		e.field[s] = inputs.Exported(s)
	}
	for _, x := range e.p.Outputs {
		e.outs[x] = outputs.Exported(x.Value.Name)
		for varies(x) && outputs.Has(e.outs[x]+"Shape") {
			e.outs[x] = outputs.Exported(x.Value.Name)
		}
		outputs.Take(e.outs[x] + "Shape")
	}
}

// nameStates names the fields of the state.
func (e *names) nameStates() {
	fields := ident.NewScope("mem", "list", "gradients", "ready", "complete", "first", "keep", "kept")
	for _, s := range e.p.States {
		e.states[s.Param.Name] = fields.Local(s.Param.Name)
	}
}

// nameVars names the fields of the context.
func (e *names) nameVars() {
	fields := ident.NewScope("w", "s", "arena", "run", "profile", "call", "in", "out")
	for _, b := range e.p.Blocks {
		fields.Take(e.blocks[b].fn)
		fields.Take(e.blocks[b].profile)
	}
	for _, n := range e.chainTypes {
		fields.Take(n.field)
	}
	for _, d := range e.slotTypes() {
		fields.Take(slotField(d))
	}
	for _, s := range e.p.Syms {
		e.syms[s] = fields.Local(s)
	}
	short := e.localNames()
	for _, x := range e.p.Vars {
		if x.Place != plan.Output {
			e.vars[x] = fields.Local(cmp.Or(short[x], ident.Brief(x.Value.Name)))
		}
	}
}

// inputSyms are the symbols among the axes of inputs, in order.
func (e *names) inputSyms() []string {
	var out []string
	seen := map[string]bool{}
	for _, x := range e.p.Inputs {
		for _, d := range x.Value.Type.Shape {
			if s, ok := d.Symbol(); ok && !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return out
}
