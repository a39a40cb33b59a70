// Package precision stores long-lived values of a training step in 16 bits. Arithmetic stays in float32: a
// value is rounded once, where it is computed, and widened for its readers. Values with a short live range
// stay in float32, and so do parameters, optimizer state, gradients of parameters, losses and statistics.
package precision

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Pass returns a pass that runs [Store] for elem and removes unused values.
func Pass(elem tensor.DType) *pass.Pass {
	run := func(c *pass.Context, m *ir.Module) error {
		if err := Store(m, elem, c.Target); err != nil {
			return err
		}
		return pass.DCE.Run(c, m)
	}
	return &pass.Pass{Name: "precision", Run: run, After: []*pass.Pass{pass.Early}}
}

// Store rewrites the main function of m, which must have been through all passes, for a target; nil is [target.Default]. It
// leaves unused values to DCE.
func Store(m *ir.Module, elem tensor.DType, t *target.Target) error {
	k := &keeper{
		target: target.Or(t), b: &ir.Builder{Module: m, Infer: op.Inferrer{}}, elem: elem,
		roots: map[*ir.Value]*ir.Value{}, defined: map[*ir.Value]int{}, kept: map[*ir.Value]bool{},
		small: map[*ir.Value]*ir.Value{}, wide: map[*ir.Value]widened{},
	}
	k.choose(m.Main)
	body := m.Main.Body
	k.each(body, func(n *ir.Node, at int) {
		if !op.Lookup(n).Alias {
			k.widen(n, at)
		}
		k.b.Nodes = append(k.b.Nodes, n)
		k.narrow(n)
	})
	body.Nodes = k.b.Nodes
	readers(m.Main)
	return k.b.Err()
}

// keeper rewrites a body.
type keeper struct {
	target  *target.Target
	b       *ir.Builder
	elem    tensor.DType
	roots   map[*ir.Value]*ir.Value // the value that a view refers to
	defined map[*ir.Value]int       // position of the definition
	kept    map[*ir.Value]bool      // values that are stored in elem
	small   map[*ir.Value]*ir.Value // stored values and views of them, in elem
	wide    map[*ir.Value]widened   // stored values widened to float32
}

// widened is a value that was widened for the node at a position.
type widened struct {
	v  *ir.Value
	at int
}

// each calls f for the nodes with their positions. A view has the position of the node before it.
func (k *keeper) each(r *ir.Region, f func(n *ir.Node, at int)) {
	at := 0
	for _, n := range r.Nodes {
		if !op.Lookup(n).Alias {
			at++
		}
		f(n, at)
	}
}

func (k *keeper) root(v *ir.Value) *ir.Value {
	if r := k.roots[v]; r != nil {
		return r
	}
	return v
}

// choose finds the values that are read long after their definition and may be rounded.
func (k *keeper) choose(f *ir.Func) {
	exact := map[*ir.Value]bool{}
	k.each(f.Body, func(n *ir.Node, at int) {
		o := op.Lookup(n)
		if o.Alias {
			k.roots[n.Out[0]] = k.root(n.In[0])
			return
		}
		for _, v := range n.In {
			r := k.root(v)
			if len(o.Updates) > 0 {
				exact[r] = true
			}
			if def, ok := k.defined[r]; ok && at-def > k.target.Limits.Near {
				k.kept[r] = true
			}
		}
		for _, r := range n.Regions {
			for _, v := range r.Captures() {
				exact[k.root(v)] = true
			}
		}
		for i, v := range n.Out {
			if v != nil && !slices.Contains(o.Precise, i) && len(o.Updates) == 0 && k.worth(v) {
				k.defined[v] = at
			}
		}
	})
	for _, v := range f.Body.Results {
		exact[k.root(v)] = true
	}
	for _, s := range f.State {
		exact[k.root(s.Next)] = true
	}
	for v := range exact {
		delete(k.kept, v)
	}
}

// worth reports whether v is a float32 tensor that is not small.
func (k *keeper) worth(v *ir.Value) bool {
	if v.Type.Kind != ir.Tensor || v.Type.Elem != tensor.Float32 {
		return false
	}
	n, known := ir.Size(v.Type.Shape).Const()
	return !known || n >= k.target.Limits.Convert
}

// widen makes a node read stored values as float32.
func (k *keeper) widen(n *ir.Node, at int) {
	for i, v := range n.In {
		if k.kept[k.root(v)] {
			n.In[i] = k.again(v, at)
		}
	}
}

// again returns a stored value, or a view of it, widened for the node at a position.
func (k *keeper) again(v *ir.Value, at int) *ir.Value {
	w, ok := k.wide[v]
	if !ok || at-w.at > k.target.Limits.Near {
		w = widened{k.cast(k.half(v), tensor.Float32, v.Name+"/again"), at}
		k.wide[v] = w
	}
	return w.v
}

// half returns a stored value, or a view of it, in elem.
func (k *keeper) half(v *ir.Value) *ir.Value {
	if h := k.small[v]; h != nil {
		return h
	}
	view := *v.Def
	view.Name = k.b.Module.FreshName(v.Name + "/" + k.elem.String())
	view.In = slices.Clone(v.Def.In)
	view.In[0] = k.half(view.In[0])
	to := *v
	to.Name, to.Def, to.Type = view.Name, &view, ir.TensorOf(k.elem, v.Type.Shape...)
	view.Out = []*ir.Value{&to}
	k.b.Nodes = append(k.b.Nodes, &view)
	k.small[v] = &to
	return &to
}

// narrow rounds the outputs of a node that are stored in elem.
func (k *keeper) narrow(n *ir.Node) {
	for _, v := range n.Out {
		if k.kept[v] {
			k.small[v] = k.cast(v, k.elem, v.Name+"/"+k.elem.String())
		}
	}
}

func (k *keeper) cast(v *ir.Value, to tensor.DType, name string) *ir.Value {
	y := op.Cast(k.b, v, to)
	y.Name = k.b.Module.FreshName(name)
	y.Def.Name = y.Name
	return y
}
