package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Small reports whether n computes on floats smaller than float32.
func Small(n *ir.Node) bool {
	for _, v := range append(append([]*ir.Value{}, n.In...), n.Out...) {
		if v != nil && v.Type.Kind == ir.Tensor && v.Type.Elem.IsSmallFloat() {
			return true
		}
	}
	return false
}

// Widened returns nodes that compute n in float32, with casts of small inputs and outputs.
func Widened(b *ir.Builder, n *ir.Node) []*ir.Value {
	w := *n
	w.In = make([]*ir.Value, len(n.In))
	for i, v := range n.In {
		w.In[i] = v
		if v != nil && v.Type.Elem.IsSmallFloat() {
			w.In[i] = Cast(b, v, tensor.Float32)
		}
	}
	w.Name = b.Module.FreshName(b.Prefix + "f32")
	w.Out = make([]*ir.Value, len(n.Out))
	for i, v := range n.Out {
		if v != nil {
			w.Out[i] = &ir.Value{Name: b.Module.FreshName(v.Name + "_f32"), Def: &w}
		}
	}
	outs := b.Add(&w)
	vs := make([]*ir.Value, len(outs))
	for i, v := range outs {
		if v == nil {
			continue
		}
		vs[i] = v
		if t := n.Out[i].Type.Elem; t.IsSmallFloat() {
			vs[i] = Cast(b, v, t)
		}
	}
	return vs
}

// Wide returns the type in which a Widen operator computes for t.
func Wide(t tensor.DType) tensor.DType {
	if t.IsSmallFloat() {
		return tensor.Float32
	}
	return t
}
