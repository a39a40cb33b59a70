package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// ends checks that executions end which begin without a message, or with one that is sent apart: that each message that they wait
// for may be sent in them, and that they do not wait for the host of another peer. A peer would keep all others for ever, until it
// has no room for more.
func (c *cutter) ends() {
	for _, edges := range c.sentApart() {
		c.waitsElsewhere(c.traceFrom(edges), nil, "that begin with edge "+places(edges))
	}
	c.activityModules(func(m *Module) {
		if !m.opensItself() {
			return
		}
		t := c.trace(m)
		if c.waitsElsewhere(t, m, "of module "+m.Name+", which begin "+m.opening()) {
			return
		}
		missing := t.missing(m)
		if missing == nil {
			return
		}
		const text = "executions that begin so wait for edge %s, which nobody sends in them: they would never end; a Queue or a Hold takes values from one execution to another"
		if m.Open != nil {
			c.failf(m.Open, text, places([]*Edge{missing}))
		} else {
			c.errorf("module %s begins %s, and "+text, m.Name, m.opening(), places([]*Edge{missing}))
		}
	})
}

// opening says how a module begins.
func (m *Module) opening() string {
	switch {
	case m.Rounds > 0:
		return "in rounds"
	case len(m.Inputs) > 0:
		return "with the host's input " + m.Inputs[0].Name
	case m.Open != nil:
		return "by " + m.Open.String()
	}
	return "when the peer starts"
}

// sentApart returns the edges whose messages begin executions. Those of a bundle begin one, together.
func (c *cutter) sentApart() (list [][]*Edge) {
	index := map[*ir.Node]int{}
	c.steps(func(s *Step) {
		if s.Apart == nil {
			return
		}
		i, ok := index[s.Apart]
		if !ok {
			i, list = len(list), append(list, nil)
			index[s.Apart] = i
		}
		list[i] = append(list[i], s.Edge)
	})
	return list
}

// steps calls do for all steps of all blocks.
func (c *cutter) steps(do func(*Step)) {
	for _, p := range c.prog.Parts {
		for _, m := range p.Modules {
			for _, b := range m.Blocks {
				for i := range b.Steps {
					do(&b.Steps[i])
				}
			}
		}
	}
}

// waitsElsewhere reports, as an error of the program, whether a module waits in some executions, which m begins if it is not nil, for
// what does not come in them.
func (c *cutter) waitsElsewhere(t *traced, m *Module, executions string) bool {
	n, in := t.elsewhere(m)
	if n == nil {
		return false
	}
	what := "nobody sends in executions"
	if in.Kind == Input {
		what = "the host of this peer gives in executions that it begins, but not in those"
	}
	c.failf(n, "waits for %s, which %s %s: they would never end; a Queue or a Hold takes values from one execution to another", in, what, executions)
	return true
}

// elsewhere returns a node of another module than m that messages open, and an input for which it waits that does not come in these
// executions: one that the host gives in others, or a message; nil if there is none.
func (t *traced) elsewhere(m *Module) (waiting *ir.Node, input *Cut) {
	t.activityModules(func(x *Module) {
		if x == m || waiting != nil || !t.begun[x] || len(x.fills()) == 0 {
			return
		}
		for _, b := range x.Blocks {
			i := slices.IndexFunc(b.Wait, func(in *Cut) bool { return (in.Kind == Input || in.Kind == Fill) && !t.come[in] })
			if !t.ran[b] && i >= 0 {
				waiting, input = b.node(), b.Wait[i]
				return
			}
		}
	})
	return waiting, input
}

// node returns a node of a block, for messages; nil if it only waits.
func (b *Block) node() *ir.Node {
	for _, s := range b.Steps {
		switch {
		case s.Node != nil:
			return s.Node
		case s.Compute != nil:
			return s.Compute.Func.Body.Nodes[0]
		}
	}
	return nil
}

// missing returns an edge on which nothing is sent in executions that m begins, although a block waits for that; nil if there is
// none.
func (t *traced) missing(m *Module) *Edge {
	for _, cut := range m.Cuts {
		waits := func(b *Block) bool { return !t.ran[b] && slices.Contains(b.Wait, cut) }
		if cut.Kind == Fill && cut.Within == 0 && !t.come[cut] && slices.ContainsFunc(m.Blocks, waits) {
			return cut.Edge
		}
	}
	return nil
}

// traced is what may happen in executions that begin in one place, on all peers. Whatever does not depend on messages does.
type traced struct {
	*cutter
	begun map[*Module]bool
	come  map[*Cut]bool
	ran   map[*Block]bool
}

// trace traces executions that a module begins.
func (c *cutter) trace(m *Module) *traced {
	t := c.untraced(m)
	t.begun[m] = true
	t.runAll()
	return t
}

// traceFrom traces executions that begin with messages.
func (c *cutter) traceFrom(edges []*Edge) *traced {
	t := c.untraced(nil)
	for _, e := range edges {
		t.sent(e)
	}
	t.runAll()
	return t
}

// untraced returns what is there before anything runs: the host gives its inputs only to executions which begin with them.
func (c *cutter) untraced(begins *Module) *traced {
	t := &traced{c, map[*Module]bool{}, map[*Cut]bool{}, map[*Block]bool{}}
	started := map[*Cut]bool{}
	t.modules(func(x *Module) {
		for _, b := range x.Blocks {
			for _, cut := range starts(b) {
				started[cut] = true
			}
		}
	})
	t.modules(func(x *Module) {
		for _, cut := range x.Cuts {
			given := cut.Kind != Input || x == begins
			t.come[cut] = cut.Kind != Fill && !started[cut] && given || cut.Within > 0 // nothing of this execution brings it
		}
	})
	return t
}

// runAll runs all blocks that can run.
func (t *traced) runAll() {
	for more := true; more; {
		more = false
		t.modules(func(x *Module) { more = t.run(x) || more })
	}
}

// modules calls do for all modules of all classes.
func (t *traced) modules(do func(*Module)) {
	for _, p := range t.prog.Parts {
		for _, m := range p.Modules {
			do(m)
		}
	}
}

// run runs the blocks of a module that can run, and reports whether there were any.
func (t *traced) run(m *Module) (more bool) {
	if !t.begun[m.top()] {
		return false
	}
	for _, b := range m.Blocks {
		if t.ran[b] || !t.ready(b) {
			continue
		}
		t.ran[b], more = true, true
		for _, c := range starts(b) {
			t.come[c] = true
		}
		for _, s := range b.Steps {
			if s.Edge != nil && s.Apart == nil {
				t.sent(s.Edge)
			}
		}
	}
	return more
}

// ready reports whether what a block waits for has come.
func (t *traced) ready(b *Block) bool {
	if b.Any {
		return slices.ContainsFunc(b.Wait, func(c *Cut) bool { return t.come[c] })
	}
	return !slices.ContainsFunc(b.Wait, func(c *Cut) bool { return !t.come[c] })
}

// sent delivers a message to all modules that wait for it, or begin with it.
func (t *traced) sent(e *Edge) {
	t.modules(func(m *Module) {
		for _, c := range m.Cuts {
			if c.Kind == Fill && c.Edge == e {
				t.come[c], t.begun[m.top()] = true, true
			}
		}
	})
}

// starts returns the cut points that a block starts or brings.
func starts(b *Block) []*Cut {
	list := slices.Clone(b.Starts)
	for _, s := range b.Steps {
		for _, c := range []*Cut{s.Cut, s.Into} {
			if c != nil {
				list = append(list, c)
			}
		}
	}
	return list
}
