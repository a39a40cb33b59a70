package partitioner

import "slices"

// speakers finds the classes that begin executions on each edge, besides those that its sender has begun: if
// a fill opens the sending module, its execution may have been begun by another class. A receiver rejects all
// others, so that no peer can send in an execution that the program does not route through it.
func (c *cutter) speakers() {
	o := &speakers{own: map[*Edge]bool{}}
	for more := true; more; {
		more = false
		for _, p := range c.prog.Parts {
			for _, m := range p.Modules {
				more = o.module(p, m) || more
			}
		}
	}
}

// speakers holds the edges that carry their senders' own executions.
type speakers struct{ own map[*Edge]bool }

// module adds the edges on which a module sends. It reports whether anything was new.
func (o *speakers) module(p *Partition, m *Module) (more bool) {
	top := m
	if m.Parent != nil {
		top = m.Parent
	}
	for _, b := range m.Blocks {
		for _, s := range b.Steps {
			switch {
			case s.Edge == nil:
			case s.Apart != nil, waitsForInput(m, b, map[*Block]bool{}): // only the peer's own executions
				more = more || !o.own[s.Edge]
				o.own[s.Edge] = true
			default:
				more = o.edge(p, top, s.Edge) || more
			}
		}
	}
	return more
}

func (o *speakers) edge(p *Partition, top *Module, e *Edge) (more bool) {
	if top.opensItself() && !o.own[e] {
		o.own[e], more = true, true
	}
	add := func(class string) {
		if at, found := slices.BinarySearch(e.Origins, class); !found {
			e.Origins, more = slices.Insert(e.Origins, at, class), true
		}
	}
	for _, m := range p.Modules {
		if m != top && m.Parent != top {
			continue
		}
		for _, cut := range m.Cuts {
			if cut.Kind != Fill {
				continue
			}
			if o.own[cut.Edge] {
				add(cut.Edge.From)
			}
			for _, class := range cut.Edge.Origins {
				add(class)
			}
		}
	}
	return more
}

// waitsForInput reports whether a block runs only after input from the host, or from the round before.
func waitsForInput(m *Module, b *Block, seen map[*Block]bool) bool {
	if b.Any || seen[b] {
		return false
	}
	seen[b] = true
	return slices.ContainsFunc(b.Wait, func(c *Cut) bool {
		if c.Kind == Input {
			return true
		}
		return slices.ContainsFunc(m.Blocks, func(s *Block) bool { return slices.Contains(s.Starts, c) && waitsForInput(m, s, seen) })
	})
}

// opensItself reports whether the module can open without a fill.
func (m *Module) opensItself() bool {
	return m.Open != nil || m.Start || m.Every > 0 || len(m.On) > 0 || m.Bootstrap || m.Rounds > 0 || len(m.Inputs) > 0
}
