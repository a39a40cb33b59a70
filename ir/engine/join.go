package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// join returns the graph of n: the graph of a followed by that of b.
func join(a, b, n *ir.Node) (*tensor.Tensor, error) {
	g, err := decode(a)
	if err != nil {
		return nil, err
	}
	h, err := decode(b)
	if err != nil {
		return nil, err
	}
	body := g.Main.Body
	if len(body.Params) != len(a.In) || len(body.Results) != len(a.Out) || len(h.Main.Body.Params) != len(b.In) || len(h.Main.Body.Results) != len(b.Out) {
		return nil, fmt.Errorf("the graphs do not have the inputs and outputs of the calls")
	}
	known := map[*ir.Value]*ir.Value{} // values of the program, to values in the graph
	for i, v := range a.In {
		known[v] = body.Params[i]
	}
	for i, v := range a.Out {
		known[v] = body.Results[i]
	}
	behind := ir.CloneRegion(g, h.Main.Body, h.Name+"/")
	for i, p := range behind.Params {
		v := b.In[i]
		if known[v] == nil {
			p.Type = renamed(g, a, v.Type)
			body.Params, known[v] = append(body.Params, p), p
		}
		if known[v] != p {
			behind.ReplaceAll(p, known[v])
		}
	}
	for i, v := range b.Out {
		known[v] = behind.Results[i]
	}
	body.Nodes = append(body.Nodes, behind.Nodes...)
	body.Results = nil
	for _, v := range n.Out {
		body.Results = append(body.Results, known[v])
	}
	body.Walk(forget)
	if err := pass.Run(g, []*pass.Pass{pass.Infer, pass.DCE}, nil); err != nil {
		return nil, err
	}
	out, err := onnx.Encode(g)
	return tensor.Of(out, len(out)), err
}

// forget removes the inferred types of a node's outputs, as each graph has its own symbols for sizes.
func forget(n *ir.Node) {
	n.Syms = nil
	for _, v := range n.Out {
		if v != nil && v.Const == nil {
			v.Type = ir.Type{}
		}
	}
}

// renamed returns the type of an additional input of g. A size that an input of a also has becomes that
// input's symbol.
func renamed(g *ir.Module, a *ir.Node, t ir.Type) ir.Type {
	t.Shape = slices.Clone(t.Shape)
	for i, d := range t.Shape {
		s, ok := d.Symbol()
		if !ok {
			continue
		}
		t.Shape[i] = ir.Sym(g.FreshSym(s))
		for k, v := range a.In {
			if axis := slices.IndexFunc(v.Type.Shape, d.Equal); axis >= 0 && axis < len(g.Main.Body.Params[k].Type.Shape) {
				t.Shape[i] = g.Main.Body.Params[k].Type.Shape[axis]
			}
		}
	}
	return t
}

// decode returns the graph of a Run node.
func decode(n *ir.Node) (*ir.Module, error) {
	t, ok := n.Attrs.Lookup("graph").(*tensor.Tensor)
	if !ok || t.DType != tensor.Uint8 {
		return nil, fmt.Errorf("%s has no graph", n)
	}
	return onnx.Decode(n.Name, tensor.Data[uint8](t), nil)
}

// sameOpsets reports whether two graphs use the same versions of operator sets.
func sameOpsets(a, b *ir.Node) bool {
	g, err := decode(a)
	h, err2 := decode(b)
	return err == nil && err2 == nil && maps.Equal(g.Opsets, h.Opsets) && len(g.Funcs) == 0 && len(h.Funcs) == 0
}
