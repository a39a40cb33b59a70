package partitioner

import (
	"slices"
	"strings"
)

// caused checks that each module can begin: at the start, by the clock, an event or the host, by a fill
// that another module sends, or by the first round that another module begins. A module that can only begin with an
// answer to a message of its own never begins, and neither do rounds that begin with a value of their own.
func (c *cutter) caused() {
	begun, seen := map[*Module]bool{}, map[*Module]bool{}
	sent := map[*Edge]bool{}
	for more := true; more; {
		more = false
		c.activityModules(func(m *Module) {
			if m.Rounds == 0 && (m.begins() || slices.ContainsFunc(m.fills(), func(e *Edge) bool { return sent[e] })) {
				begun[m] = true
			}
			if !begun[m] || seen[m] {
				return
			}
			seen[m], more = true, true
			for _, e := range m.sends() {
				sent[e] = true
			}
			for _, r := range c.firstRounds(m) {
				begun[r] = true
			}
		})
	}
	c.activityModules(func(m *Module) {
		if !begun[m] && m.Rounds > 0 {
			c.failf(m.Open, "begins with what is computed in its own rounds, because they read it, or what it is computed from: nothing ever begins; let Carry pass on what the rounds read of that")
		}
	})
	told := false
	c.activityModules(func(m *Module) {
		if told || begun[m] || m.Rounds > 0 || m.Parent != nil || len(m.sends()) == 0 {
			return
		}
		told = true
		c.errorf("module %s runs when %s brings something, which is sent only after its own %s: nothing ever begins; let it begin with Rounds, an Interval, a Pulse or an input of the host",
			m.Name, places(m.fills()), places(m.sends()))
	})
}

// activityModules calls do for all modules of all classes, except children.
func (c *cutter) activityModules(do func(*Module)) {
	for _, p := range c.prog.Parts {
		for _, m := range p.Modules {
			if m.Parent == nil {
				do(m)
			}
		}
	}
}

// begins reports whether the module can begin without a fill.
func (m *Module) begins() bool {
	return m.Start || m.Every > 0 || len(m.On) > 0 || m.Bootstrap || len(m.Inputs) > 0
}

// firstRounds returns the modules whose first rounds m begins.
func (c *cutter) firstRounds(m *Module) (list []*Module) {
	for _, b := range m.Blocks {
		for _, s := range b.Steps {
			if s.Next != nil && c.isBegin(s.Node) {
				list = append(list, s.Next)
			}
		}
	}
	return list
}

// fills returns the edges with fills that may begin the module.
func (m *Module) fills() (list []*Edge) {
	for _, c := range m.Cuts {
		if c.Kind == Fill {
			list = append(list, c.Edge)
		}
		if c.Child != nil {
			list = append(list, c.Child.fills()...)
		}
	}
	return list
}

// sends returns the edges on which the module sends.
func (m *Module) sends() (list []*Edge) {
	for _, b := range m.Blocks {
		for _, s := range b.Steps {
			if s.Edge != nil && !slices.Contains(list, s.Edge) {
				list = append(list, s.Edge)
			}
		}
	}
	for _, c := range m.Cuts {
		if c.Child != nil {
			list = append(list, c.Child.sends()...)
		}
	}
	return list
}

// places returns the names of edges, each with the position of its send.
func places(edges []*Edge) string {
	var names []string
	for _, e := range edges {
		names = append(names, e.Name+" ("+e.Pos+")")
	}
	return strings.Join(names, ", ")
}
