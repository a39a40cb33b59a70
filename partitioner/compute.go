package partitioner

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// compute makes a function of computations that run together. Its parameters are the values they read from
// elsewhere, its results the values read elsewhere.
func (b *body) compute(nodes []*ir.Node) *Compute {
	c := &Compute{Name: fmt.Sprintf("compute%d", b.class.computes)}
	b.class.computes++
	c.Args, c.Outs = b.args(nodes), b.outs(nodes)
	c.FLOPs = -1
	if n, ok := flops(nodes); ok {
		c.FLOPs = n
	}
	body := &ir.Region{Params: c.Args, Nodes: nodes, Results: c.Outs}
	m := &ir.Module{Main: &ir.Func{Name: c.Name, Body: body}, Opsets: b.m.Opsets}
	c.Func = m.Clone().Main
	c.Func.Body.Walk(func(n *ir.Node) { n.Class = "" })
	for _, p := range c.Func.Body.Params {
		p.Def = nil
	}
	bindElems(c.Func)
	return c
}

// args returns the values that the nodes read and do not define, including values for the sizes they need.
func (b *body) args(nodes []*ir.Node) []*ir.Value {
	args := (&ir.Region{Nodes: nodes}).Captures()
	for _, n := range nodes {
		for _, v := range b.sizes[n] {
			if !slices.Contains(args, v) && !slices.Contains(nodes, v.Def) {
				args = append(args, v)
			}
		}
	}
	return inOrder(args)
}

// inOrder sorts values so that a value which determines a symbol precedes values with sizes that depend on it.
func inOrder(args []*ir.Value) []*ir.Value {
	var out []*ir.Value
	bound := map[string]bool{}
	for len(args) > 0 {
		i := max(0, slices.IndexFunc(args, func(v *ir.Value) bool { return tells(v, bound) }))
		for s := range boundByAxes(args[i : i+1]) {
			bound[s] = true
		}
		for _, d := range args[i].Elems {
			d.Syms(func(s string) { bound[s] = true })
		}
		out = append(out, args[i])
		args = slices.Delete(args, i, i+1)
	}
	return out
}

// tells reports whether all sizes of v consist of symbols that are bound or are axes of v itself.
func tells(v *ir.Value, bound map[string]bool) bool {
	own := boundByAxes([]*ir.Value{v})
	ok := true
	for _, d := range v.Type.Shape {
		d.Syms(func(s string) { ok = ok && (bound[s] || own[s]) })
	}
	return ok
}

// outs returns the values of the nodes that other nodes read.
func (b *body) outs(nodes []*ir.Node) []*ir.Value {
	var outs []*ir.Value
	for _, n := range nodes {
		for _, v := range n.Out {
			if v != nil && (b.sizeOutside(v, nodes) || slices.ContainsFunc(b.readersOf(v), func(r *ir.Node) bool { return !slices.Contains(nodes, r) })) {
				outs = append(outs, v)
			}
		}
	}
	return outs
}

// sizeOutside reports whether a node outside of the given ones reads v to know a size.
func (b *body) sizeOutside(v *ir.Value, nodes []*ir.Node) bool {
	for n, sizes := range b.sizes {
		if slices.Contains(sizes, v) && !slices.Contains(nodes, n) {
			return true
		}
	}
	return false
}

// bindElems lets elements of parameters bind symbols that no axis binds.
func bindElems(f *ir.Func) {
	bound := boundByAxes(f.Body.Params)
	for _, p := range f.Body.Params {
		for i, d := range p.Elems {
			s, ok := d.Symbol()
			if !ok || bound[s] {
				continue
			}
			if p.ElemSyms == nil {
				p.ElemSyms = make([]string, len(p.Elems))
			}
			p.ElemSyms[i], bound[s] = s, true
		}
	}
}

func boundByAxes(params []*ir.Value) map[string]bool {
	bound := map[string]bool{}
	for _, p := range params {
		for _, d := range p.Type.Shape {
			if s, ok := d.Symbol(); ok {
				bound[s] = true
			}
		}
		for _, s := range p.ElemSyms {
			bound[s] = true
		}
	}
	return bound
}

// missingSize finds a size that a computation needs but cannot derive from its inputs, and adds an input that
// provides it. It reports whether there was such a size.
func (b *body) missingSize() bool {
	for _, p := range b.parts {
		for _, it := range p.items {
			if len(it.compute) == 0 {
				continue
			}
			if s, n := b.unbound(it.compute); n != nil {
				b.tell(s, it.compute)
				return true
			}
		}
	}
	return false
}

// unbound returns a symbol that the nodes need but cannot derive, and a node that needs it.
func (b *body) unbound(nodes []*ir.Node) (string, *ir.Node) {
	args := b.args(nodes)
	bound := boundByAxes(args)
	for _, v := range args {
		for _, d := range v.Elems {
			if s, ok := d.Symbol(); ok {
				bound[s] = true
			}
		}
	}
	(&ir.Region{Nodes: nodes}).Walk(func(n *ir.Node) {
		for _, s := range n.Syms {
			bound[s] = true
		}
		for _, v := range n.Out {
			if v != nil {
				for _, s := range v.ElemSyms {
					bound[s] = true
				}
			}
		}
		for _, r := range n.Regions {
			for s := range boundByAxes(r.Params) {
				bound[s] = true
			}
		}
	})
	for _, n := range nodes {
		for _, s := range symbolsOf(n) {
			if !bound[s] {
				return s, n
			}
		}
	}
	return "", nil
}

// tell adds the symbol s as an input to the nodes that need it. It is computed where s becomes known.
func (b *body) tell(s string, nodes []*ir.Node) {
	v := b.sizeValue[s]
	if v == nil {
		at, from := b.binderHere(s)
		if from == nil {
			b.failf(nodes[0], "needs the size %s, which no value that comes to %s in the same execution has: send a value that has an axis of that size, too", s, b.class.name)
			return
		}
		build := &ir.Builder{Module: b.m, Infer: op.Inferrer{}, Prefix: "size_", Class: b.class.name, Pos: nodes[0].Pos}
		v = b.sizeOf(build, from, s)
		b.sizeValue[s] = v
		b.nodes = slices.Insert(b.nodes, at, build.Nodes...)
	}
	for _, n := range nodes {
		if slices.Contains(symbolsOf(n), s) && !slices.Contains(b.sizes[n], v) {
			b.sizes[n] = append(b.sizes[n], v)
		}
	}
}

// binderHere returns a value of the module that determines s, and the position after its definition.
func (b *body) binderHere(s string) (int, *ir.Value) {
	for _, c := range b.module.Cuts {
		for _, v := range c.Values {
			if c.Kind == Input && binds(v, s) {
				return 0, v
			}
		}
	}
	for i, n := range b.nodes {
		if v := bindsFirst(n, s); v != nil && b.childOf[v] == nil {
			return i + 1, v
		}
	}
	return 0, nil
}

// flops returns the number of arithmetic operations of the nodes. It is not ok if that depends on sizes known
// only at run time.
func flops(nodes []*ir.Node) (int64, bool) {
	sum := ir.C(0)
	for _, n := range nodes {
		sum = sum.Add(work(n))
	}
	k, ok := sum.Const()
	return int64(k), ok
}

func work(n *ir.Node) ir.Dim {
	sum := ir.C(0)
	(&ir.Region{Nodes: []*ir.Node{n}}).Walk(func(x *ir.Node) {
		sum = sum.Add(op.Lookup(x).Work(x))
	})
	return sum
}
