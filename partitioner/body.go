package partitioner

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// body holds the nodes of one module: of an activity, or of the part of one that runs once for each sender.
type body struct {
	*cutter
	class  *class
	module *Module
	nodes  []*ir.Node
	params []*ir.Value // host inputs
	opens  cutSet      // the cut points that have come when a frame opens

	// Gathers of values from many peers.
	gathers []*gathered
	childOf map[*ir.Value]*gathered // values that each sender has for itself
	foldOf  map[*ir.Node]*gathered

	// Cut points and their values.
	cutOf  map[*ir.Node]*Cut // the cut point that a node causes
	timers map[*ir.Node]*Cut // of DeadlineMatch
	locals map[*ir.Value]*Cut
	brings map[*ir.Value]*Cut // cut points by their values
	before []cutSet           // by cut point: those that have come when it is started

	met   map[[2]*Cut]bool         // pairs of cut points that may come in one execution
	begun map[*Cut]map[origin]bool // the origins of cut points
	async map[*ir.Node]*Cut        // of computations that run as commands
	prev  map[*ir.Node][]*ir.Node  // the preceding calls on a node's slots
	asks  map[*ir.Node][]*ir.Node  // by gather: the Sends that its contributions answer

	captures  map[*ir.Node][]*ir.Value // what nodes read themselves
	sizeValue map[string]*ir.Value     // symbols as values

	full   map[*ir.Node]cutSet // the cut points that have come when a node runs
	parts  []*part
	partOf map[*ir.Node]*part
}

// modules makes the modules of each class: its activities, each followed by its children.
func (c *cutter) modules() {
	names := map[string]bool{}
	for _, k := range c.classes {
		clear(names)
		main := c.mainGroup(k)
		for _, a := range k.acts {
			a.module = &Module{Name: c.moduleName(a, main, names)}
			c.opener(a)
		}
		for _, a := range k.acts {
			b := &body{cutter: c, class: k, module: a.module, nodes: a.nodes, params: a.params}
			k.part.Modules = append(k.part.Modules, a.module)
			if b.split(); len(c.errs) > 0 {
				continue
			}
			for _, g := range b.gathers {
				g.cut.Child = g.child.module
				k.part.Modules = append(k.part.Modules, g.child.module)
			}
		}
		if len(k.part.Modules) > 0 { // such as a class that only asks which peers there are
			c.prog.Parts = append(c.prog.Parts, k.part)
		}
	}
}

// split finds the gathers, cut points and blocks of an activity.
func (b *body) split() {
	b.findGathers()
	if len(b.errs) > 0 {
		return
	}
	b.cut()
	for i, g := range b.gathers {
		g.child.module = &Module{Name: fmt.Sprintf("%s.%s", b.module.Name, g.cut.Name), Parent: b.module, Gather: g.cut}
		if i > 0 && len(b.errs) > 0 {
			return
		}
		g.child.cut()
	}
	b.form()
	for _, g := range b.gathers {
		g.child.form()
	}
	b.goOn()
	b.live()
}
