package partitioner

import "github.com/bbgen/bbgen/ir/op"

// complete checks that each class has everything that it needs to run.
func (c *cutter) complete() {
	for _, p := range c.prog.Parts {
		for _, s := range p.Slots {
			if s.Binding == nil && !c.opt.Unbound {
				c.errorf("slot %q of %s (a %s) is bound to nothing: bind a Go type of yours or one of bbgen's to it", s.Name, p.Class, s.Role)
			}
		}
		for _, m := range p.Modules {
			c.lowers(m)
		}
		c.bootstrap(p)
	}
}

// lowers checks that all computations of a module have kernels.
func (c *cutter) lowers(m *Module) {
	for _, b := range m.Blocks {
		for _, s := range b.Steps {
			if s.Compute == nil {
				continue
			}
			for _, n := range s.Compute.Func.Body.Nodes {
				if o := op.Lookup(n); o.Lower == nil && o.Flow == op.NoFlow && !o.Alias {
					c.failf(n, "has no kernel")
				}
			}
		}
	}
}

// bootstrap checks that a bootstrap waits only for values that are available before it ends.
func (c *cutter) bootstrap(p *Partition) {
	for _, m := range p.Modules {
		if !before(m) {
			continue
		}
		for _, cut := range m.Cuts {
			if cut.Kind == Input && !bootInput(cut.Name) {
				c.errorf("the bootstrap of %s waits for input %q, which the host gives only after it: take it in the Bootstrap", p.Class, cut.Name)
			}
			if cut.Edge == nil {
				continue
			}
			if from := c.sender(cut.Edge); from != nil && !before(from) {
				c.failf(cut.Node, "the bootstrap of %s waits for edge %s, which %s of %s sends only after its own bootstrap: send it from a bootstrap", p.Class, cut.Edge.Name, from.Name, cut.Edge.From)
			}
		}
	}
}

// before reports whether a module, or its parent, is a bootstrap.
func before(m *Module) bool { return m.Bootstrap || m.Parent != nil && m.Parent.Bootstrap }

// sender returns the module that sends on an edge.
func (c *cutter) sender(e *Edge) *Module {
	for _, p := range c.prog.Parts {
		for _, m := range p.Modules {
			for _, b := range m.Blocks {
				for _, s := range b.Steps {
					if s.Edge == e {
						return m
					}
				}
			}
		}
	}
	return nil
}
