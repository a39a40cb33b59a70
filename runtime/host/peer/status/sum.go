package status

import "slices"

// Sum returns the picture of a class: what is under way in all of its peers, and what went over their edges. The names
// are those of the peers, in the same order. A nil picture is of a peer that has not told its own yet.
func Sum(names []string, pictures []*Picture) *Picture {
	var sum *Picture
	for i, p := range pictures {
		switch {
		case p == nil:
		case sum == nil:
			sum = p.clone()
			sum.rename(names[i])
		default:
			sum.add(p, names[i])
		}
	}
	return sum
}

// clone returns a deep copy.
func (p *Picture) clone() *Picture {
	c := &Picture{Class: p.Class, Modules: slices.Clone(p.Modules), Edges: slices.Clone(p.Edges)}
	for m := range c.Modules {
		x := &c.Modules[m]
		x.Blocks = slices.Clone(x.Blocks)
		for b := range x.Blocks {
			x.Blocks[b].Needs = slices.Clone(x.Blocks[b].Needs)
		}
	}
	return c
}

// rename puts the name of a peer in front of what has waited for longest in it.
func (p *Picture) rename(name string) {
	p.eachNeed(func(n *PictureNeed) {
		if n.Waits > 0 {
			n.Oldest = name + " " + n.Oldest
		}
	})
}

func (p *Picture) eachNeed(do func(n *PictureNeed)) {
	for m := range p.Modules {
		for b := range p.Modules[m].Blocks {
			for i := range p.Modules[m].Blocks[b].Needs {
				do(&p.Modules[m].Blocks[b].Needs[i])
			}
		}
	}
}

// add adds another peer of the class. One with another program, as during an upgrade, is left out.
func (p *Picture) add(o *Picture, name string) {
	if !p.sameShape(o) {
		return
	}
	for m := range p.Modules {
		p.Modules[m].Live += o.Modules[m].Live
		for b := range p.Modules[m].Blocks {
			for i := range p.Modules[m].Blocks[b].Needs {
				p.Modules[m].Blocks[b].Needs[i].add(&o.Modules[m].Blocks[b].Needs[i], name)
			}
		}
	}
	for i := range p.Edges {
		p.Edges[i].Fills += o.Edges[i].Fills
		p.Edges[i].Bytes += o.Edges[i].Bytes
	}
}

func (n *PictureNeed) add(o *PictureNeed, name string) {
	if o.Waits > 0 && (n.Waits == 0 || o.Waited > n.Waited) {
		n.Waited, n.Oldest = o.Waited, name+" "+o.Oldest
	}
	n.Waits += o.Waits
}

// sameShape reports whether two pictures differ only in their numbers.
func (p *Picture) sameShape(o *Picture) bool {
	return slices.EqualFunc(p.Modules, o.Modules, func(a, b PictureModule) bool {
		return a.Name == b.Name && slices.EqualFunc(a.Blocks, b.Blocks, func(a, b PictureBlock) bool {
			return a.Name == b.Name && slices.EqualFunc(a.Needs, b.Needs, func(a, b PictureNeed) bool { return a.Name == b.Name })
		})
	}) && slices.EqualFunc(p.Edges, o.Edges, func(a, b PictureEdge) bool { return a.Name == b.Name && a.In == b.In && a.Class == b.Class })
}
