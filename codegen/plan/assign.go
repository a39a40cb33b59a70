package plan

import "github.com/bbgen/bbgen/ir"

// assign copies values to variables and binds the symbols that are axes of the variables' types, with the
// effect of a simultaneous assignment.
func (b *builder) assign(dst, src []*ir.Value) []Step {
	bind := &Bind{}
	var steps, late []Step
	written := map[*Var]bool{} // the variables of dst so far
	for i, d := range dst {
		if d == nil {
			continue
		}
		to, from := b.byValue[d], b.use(src[i])
		for k, dim := range d.Type.Shape {
			if s, ok := dim.Symbol(); ok && k < len(src[i].Type.Shape) && !src[i].Type.Shape[k].Equal(dim) {
				bind.Syms = append(bind.Syms, s)
				bind.Values = append(bind.Values, src[i].Type.Shape[k])
			}
		}
		switch {
		case to == from:
		case written[from]:
			tmp := b.temp(from)
			steps = append(steps, &Copy{Dst: tmp, Src: from, to: tmp.Value, from: src[i]})
			late = append(late, &Copy{Dst: to, Src: tmp, to: d, from: tmp.Value})
		default:
			late = append(late, &Copy{Dst: to, Src: from, to: d, from: src[i]})
		}
		written[to] = true
	}
	steps = append(steps, late...)
	if len(bind.Syms) > 0 {
		steps = append(steps, dedup(bind))
	}
	return steps
}

// dedup keeps the first value for each symbol.
func dedup(x *Bind) *Bind {
	out := &Bind{}
	seen := map[string]bool{}
	for i, s := range x.Syms {
		if !seen[s] {
			seen[s] = true
			out.Syms = append(out.Syms, s)
			out.Values = append(out.Values, x.Values[i])
		}
	}
	return out
}

// carryOut makes outputs share the variables of their parameters, and binds the outputs' symbols to those of
// the parameters.
func (b *builder) carryOut(outs, params []*ir.Value) []Step {
	bind := &Bind{}
	for i, v := range outs {
		if v == nil {
			continue
		}
		b.byValue[v] = b.byValue[params[i]]
		b.carried[v] = params[i]
		for k, d := range v.Type.Shape {
			if s, ok := d.Symbol(); ok && !params[i].Type.Shape[k].Equal(d) {
				b.bindSym(s)
				bind.Syms = append(bind.Syms, s)
				bind.Values = append(bind.Values, params[i].Type.Shape[k])
			}
		}
	}
	if len(bind.Syms) == 0 {
		return nil
	}
	return []Step{dedup(bind)}
}
