package ir

import "fmt"

// Limits of what the calls of functions stand for. Functions that each call the next one twice stand for 2ⁿ nodes; each
// of these has the names of all calls around it; and each call may be inside a graph of its own.
const (
	maxInlined      = 1 << 22 // nodes
	maxInlinedNames = 1 << 30 // bytes of names
)

// CheckCalls returns an error if the calls of functions cannot be replaced by their bodies: a function calls itself, possibly
// through others, or the calls are too many or nested too deep.
func (m *Module) CheckCalls() error {
	c := &calls{m, m.Callees(), map[*Func]inlined{}}
	if err := c.functions(); err != nil {
		return err
	}
	var all inlined
	for _, f := range m.allFuncs() {
		if _, ok := c.sizes[f]; ok {
			continue // a function by itself is not part of the program
		}
		if err := c.add(&all, f.Body, 0); err != nil { // nodes of training are appended to those of the model
			return err
		}
	}
	return nil
}

// calls knows what a call of each function stands for.
type calls struct {
	m     *Module
	funcs Callees
	sizes map[*Func]inlined
}

// inlined is what a region stands for when its calls are replaced.
type inlined struct {
	nodes int
	named int // nodes and values
	bytes int // of their names
	depth int // of graphs and calls
}

// functions sets the sizes of all functions: of each after those that it calls.
func (c *calls) functions() error {
	waits := map[*Func]int{} // number of calls of unknown size
	callers := map[*Func][]*Func{}
	var ready []*Func
	for _, f := range c.m.Funcs {
		f.Body.Walk(func(n *Node) {
			if g := c.funcs.Of(n); g != nil {
				waits[f]++
				callers[g] = append(callers[g], f)
			}
		})
		if waits[f] == 0 {
			ready = append(ready, f)
		}
	}
	for len(ready) > 0 {
		f := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		var size inlined
		if err := c.add(&size, f.Body, 0); err != nil {
			return err
		}
		c.sizes[f] = size
		for _, g := range callers[f] {
			if waits[g]--; waits[g] == 0 {
				ready = append(ready, g)
			}
		}
	}
	if len(c.sizes) < len(c.m.Funcs) {
		return fmt.Errorf("%s calls itself", c.recursive(waits))
	}
	return nil
}

// recursive returns a function that calls itself, possibly through others. Each waiting function waits for
// another waiting one, so that following them ends in a cycle.
func (c *calls) recursive(waits map[*Func]int) *Func {
	next := map[*Func]*Func{}
	var at *Func
	for _, f := range c.m.Funcs {
		if waits[f] == 0 {
			continue
		}
		at = f
		f.Body.Walk(func(n *Node) {
			if g := c.funcs.Of(n); g != nil && waits[g] > 0 {
				next[f] = g
			}
		})
	}
	for range c.m.Funcs {
		at = next[at]
	}
	return at
}

// add adds what a region stands for, which is inside so many graphs. It stops at the first call with which that is too
// much.
func (c *calls) add(size *inlined, r *Region, graphs int) error {
	for _, v := range r.Params {
		size.name(v)
	}
	for _, n := range r.Nodes {
		size.nodes++
		size.named++
		size.bytes += len(n.Name)
		for _, v := range n.Out {
			size.name(v)
		}
		for _, v := range n.In {
			if v.IsConst() { // each copy of a body has constants of its own
				size.name(v)
			}
		}
		size.depth = max(size.depth, graphs)
		for _, in := range n.Regions {
			if err := c.add(size, in, graphs+1); err != nil {
				return err
			}
		}
		if g := c.funcs.Of(n); g != nil {
			if err := size.call(n, g, c.sizes[g], graphs+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// name counts the name of a value.
func (s *inlined) name(v *Value) {
	if v != nil {
		s.named++
		s.bytes += len(v.Name)
	}
}

// call adds what the call n of f stands for. Its names begin with that of the call.
func (s *inlined) call(n *Node, f *Func, body inlined, depth int) error {
	s.nodes += body.nodes
	s.named += body.named
	s.bytes = addInt(s.bytes, addInt(body.bytes, mulInt(body.named, len(n.Name)+1)))
	s.depth = max(s.depth, depth+body.depth)
	switch {
	case s.nodes > maxInlined:
		return fmt.Errorf("calls of functions stand for more than %d nodes, with those of %s", maxInlined, f)
	case s.bytes > maxInlinedNames:
		return fmt.Errorf("calls of functions stand for nodes with names of more than %d bytes, with those of %s", maxInlinedNames, f)
	case s.depth > maxDepth:
		return fmt.Errorf("calls of functions and graphs are nested deeper than %d, with those of %s", maxDepth, f)
	}
	return nil
}

// addInt and mulInt saturate.
func addInt(a, b int) int { return Int(addSat(int64(a), int64(b))) }
func mulInt(a, b int) int { return Int(mulSat(int64(a), int64(b))) }
