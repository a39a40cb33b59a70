package partitioner

import (
	"slices"
	"time"
)

// deadlines computes the depth of each edge, which is one more than the depth of the deepest edge that its
// Send waits for, and the time limit of its value if the author has set one. Edges that wait for each other
// in a cycle never carry a value.
func (c *cutter) deadlines() {
	d := &depths{cutter: c, depth: map[*Edge]int{}}
	for _, e := range c.prog.Edges {
		e.Depth = d.of(e)
	}
	for _, l := range c.links {
		if within := l.send.Int64("deadline_ns"); within > 0 {
			c.edgeOf[l.send].Deadline = time.Duration(within)
		}
	}
}

type depths struct {
	*cutter
	depth map[*Edge]int
	path  []*Edge // edges that wait for each other, from the first to the last
}

func (d *depths) of(e *Edge) int {
	if n, ok := d.depth[e]; ok {
		return n
	}
	if i := slices.Index(d.path, e); i >= 0 {
		d.circle(d.path[i:])
		return 0
	}
	d.path = append(d.path, e)
	deepest := 0
	for _, before := range d.before(e) {
		deepest = max(deepest, d.of(before))
	}
	d.path = d.path[:len(d.path)-1]
	d.depth[e] = deepest + 1
	return deepest + 1
}

func (d *depths) circle(edges []*Edge) {
	if len(edges) == 1 {
		d.errorf("edge %s is sent only when it has brought something: nothing ever begins", places(edges))
		return
	}
	d.errorf("edges wait for each other, so that none is ever sent: %s", places(edges))
}

// before returns the edges that must have delivered a value before anything is sent on e. If one of several
// is enough, none of them is included.
func (d *depths) before(e *Edge) []*Edge {
	var out []*Edge
	for _, p := range d.prog.Parts {
		for _, m := range p.Modules {
			for _, b := range m.Blocks {
				if slices.ContainsFunc(b.Steps, func(s Step) bool { return s.Edge == e || s.Cut != nil && s.Cut.Kind == Together && s.Cut.Edge == e }) {
					out = append(out, edgesBefore(m, b, map[*Cut]bool{})...)
				}
			}
		}
	}
	return out
}

// edgesBefore returns the edges of the cut points that a block waits for, directly or indirectly.
func edgesBefore(m *Module, b *Block, seen map[*Cut]bool) []*Edge {
	if b.Any {
		return nil
	}
	var out []*Edge
	for _, c := range b.Wait {
		if seen[c] {
			continue
		}
		seen[c] = true
		if c.Edge != nil {
			out = append(out, c.Edge)
		}
		if c.Child != nil {
			for _, x := range c.Child.Cuts {
				if x.Edge != nil {
					out = append(out, x.Edge)
				}
			}
		}
		for _, s := range m.Blocks {
			if slices.Contains(s.Starts, c) {
				out = append(out, edgesBefore(m, s, seen)...)
			}
		}
	}
	return out
}
