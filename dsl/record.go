package dsl

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// record runs the author's body on a new function, which main calls.
func (r *recorder) record(m Module, name, of, phase string, body func(*Graph)) *function {
	name = r.funcName(name)
	call := of
	if phase != "" {
		call += "." + phase
	}
	fn := &function{r: r, module: m, class: of, phase: phase, syms: map[string]string{},
		f:    &ir.Func{Name: name, Domain: peer.ModuleDomain, Body: &ir.Region{}},
		call: &ir.Node{Op: name, Domain: peer.ModuleDomain, Name: call, Class: of, Local: true, Version: 1},
	}
	g := &Graph{r: r, fn: fn, class: of}
	if phase != "" {
		g.service(peer.BootstrapDispatch, "bootstrap", nil)
	}
	r.run(body, g)
	if nodes := fn.f.Body.Nodes; phase != "" {
		if len(nodes) == 1 {
			return fn // nothing was recorded
		}
		nodes[0].Pos = nodes[1].Pos // not the position of Build's caller
	}
	g.endRounds()
	r.roots = append(r.roots, fn)
	return fn
}

// run runs a Body. A panic is reported as a mistake at the line that caused it.
func (r *recorder) run(body func(*Graph), g *Graph) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case endless:
			r.endless(x, g.fn)
		default:
			r.failAt(here(), "panic: %v", x)
		}
	}()
	body(g)
}

// endless reports, once, that the Body of a function has recorded too much.
func (r *recorder) endless(e endless, fn *function) {
	if r.over {
		return
	}
	r.over = true
	name := "model " + r.m.Name
	if fn.module != nil {
		name = "module " + nameOf(fn.module)
	}
	r.errs = nil // they may be as many
	r.failAt(e.at, "%s: the program has called its graph %d times, want %d at most: does a loop in a Body never end?", name, maxSteps, maxSteps)
}

// endRounds records the ends of loops of rounds.
func (g *Graph) endRounds() {
	for _, l := range g.fn.rounds {
		in := []Value{l.until}
		for _, c := range l.carried {
			if c.next.value == nil {
				g.r.failAt(l.pos, "the rounds carry %s, and nothing gives the next round its value: call Next", c.name)
				return
			}
			in = append(in, c.next)
		}
		out := g.do(step{op: peer.Next, attrs: attrs(peer.NameAttr, l.node.Str(peer.NameAttr)), outs: []string{"next"}, in: in})
		if !out[0].bad {
			out[0].ir.Def.Pos = l.pos.short
		}
	}
}
