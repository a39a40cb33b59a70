package partitioner

import (
	"strings"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// resultNames records the names of the program's results.
func (c *cutter) resultNames() {
	for _, v := range c.m.Main.Body.Results {
		c.results = append(c.results, v.Name)
	}
}

// emit adds a node for every result of the program that passes it to the host.
func (c *cutter) emit() {
	body := c.m.Main.Body
	for i, v := range body.Results {
		if v.IsConst() && c.recorded() {
			continue // a root without outputs has one anyway
		}
		class, _, _ := strings.Cut(c.results[i], ".")
		switch {
		case v.Def != nil:
			class = v.Def.Class
		case c.home[v] != "":
			class = c.home[v]
		}
		name := ownName(class, c.results[i])
		n := &ir.Node{Op: "AppEmit", Domain: peer.SyscallDomain, Name: c.m.FreshName("emit_" + name), In: []*ir.Value{v}, Class: class, Version: 1}
		if v.Def != nil {
			n.Pos = v.Def.Pos
		}
		n.Attrs.Set(peer.NameAttr, name)
		body.Nodes = append(body.Nodes, n)
		c.root[n] = class
	}
	body.Results = nil
}

// recorded reports whether the program was recorded module by module.
func (c *cutter) recorded() bool {
	return artifact.IsProgram(c.m)
}

// classify sorts nodes and host inputs by class.
func (c *cutter) classify() {
	at := map[string]*class{}
	get := func(name string) *class {
		if at[name] == nil {
			at[name] = &class{name: name, part: &Partition{Program: c.prog, Class: name}}
			c.classes = append(c.classes, at[name])
		}
		return at[name]
	}
	for _, p := range c.m.Main.Body.Params {
		k := get(c.home[p])
		k.params = append(k.params, p)
	}
	c.pos = map[*ir.Node]int{}
	for i, n := range c.m.Main.Body.Nodes {
		k := get(n.Class)
		k.nodes = append(k.nodes, n)
		c.pos[n] = i
	}
	c.sortClasses()
}
