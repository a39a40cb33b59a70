package runtime

// Contributed notes who has contributed to a GatherCut, for a command that takes the
// contributions with [Fold].
func (f *Frame) Contributed(cut int) {
	g := f.gather(cut)
	g.folded, g.refused = g.folded[:0], g.refused[:0]
	for _, c := range g.children {
		if c.ended && !c.broken {
			g.folded = append(g.folded, c)
		}
	}
}

// Fold has a command take what was contributed to a GatherCut, in the order of the
// peers' classes and ranks. What take refuses is left out of the gather when the command
// has ended: see [Node.LeaveOut].
func Fold(f *Frame, cut int, take func(Body) error) {
	g := f.gather(cut)
	for _, c := range g.folded {
		if err := take(c.body); err != nil {
			g.refused = append(g.refused, refusal{c.from, err})
		}
	}
}

// refusal is a contribution that a command has refused, and why.
type refusal struct {
	from *peer
	why  error
}

// leaveOutRefused leaves out what a command of a frame has refused. It returns an error
// when too few contributions are left.
func (n *Node) leaveOutRefused(f *Frame) error {
	for i := range f.gathers {
		g := &f.gathers[i]
		list := g.refused
		g.refused = nil
		for _, r := range list {
			if err := n.LeaveOut(f, g.cut, r.from.id, r.why); err != nil {
				return err
			}
		}
	}
	return nil
}
