package sequence

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [SequenceMap].
const (
	mapInputSequence = iota
	mapAdditionalInputs
)

// SequenceMap runs its body for each item of a list, and collects the results in lists. It is a Loop over the
// positions.
//
// https://onnx.ai/onnx/operators/onnx__SequenceMap.html
var SequenceMap = &op.Op{
	Name:  "SequenceMap",
	Since: []int{17},
	Attrs: []op.Attr{{Name: "body", Kind: op.Graph, Required: true}},
	Inputs: []op.Port{
		mapInputSequence:    {Name: "input_sequence", Types: op.ASequence},
		mapAdditionalInputs: {Name: "additional_inputs", Types: op.TensorOrSequence, Variadic: true, Mixed: true},
	},
	Outputs: []op.Port{{Name: "out_sequence", Types: op.ASequence, Variadic: true, Mixed: true, Min: 1}},
	Infer:   inferSequenceMap,
	Expand:  expandSequenceMap,
	Stops:   op.StopLists,
}

func inferSequenceMap(c *op.Infer) error {
	body := c.Node.Region("body")
	switch {
	case body == nil:
		return fmt.Errorf("has no body")
	case len(body.Params) != len(c.In):
		return fmt.Errorf("body has %d inputs, want %d", len(body.Params), len(c.In))
	case len(body.Results) != len(c.Node.Out):
		return fmt.Errorf("body has %d results, want %d", len(body.Results), len(c.Node.Out))
	}
	if _, err := items(c, 0); err != nil {
		return err
	}
	for i, p := range body.Params {
		if c.Type(i).Kind == ir.Tensor {
			t, err := c.Tensor(i)
			if err != nil {
				return err
			}
			p.Type = t
			continue
		}
		of, err := items(c, i)
		if err != nil {
			return err
		}
		p.Type = freshItem(c, of)
	}
	if err := c.Inner(body); err != nil {
		return err
	}
	for i, r := range body.Results {
		if r.Type.Kind != ir.Tensor || !r.Type.Known() {
			return fmt.Errorf("result %q is %s, want a tensor of known rank", r.Name, r.Type)
		}
		c.Out(i, ir.SequenceOf(op.ItemType(r.Type)))
	}
	return nil
}

func expandSequenceMap(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	m := b.Module
	local := func(name string, t ir.Type) *ir.Value {
		return &ir.Value{Name: m.FreshName(b.Prefix + name), Type: t}
	}
	body := n.Region("body")
	iter, cond := local("item", ir.TensorOf(tensor.Int64)), local("cond", ir.TensorOf(tensor.Bool))
	loop := &ir.Region{Name: "body", Params: []*ir.Value{iter, cond}, Results: []*ir.Value{cond}}
	node := &ir.Node{Op: "Loop", Name: n.Name, Class: n.Class, Pos: n.Pos, Regions: []*ir.Region{loop}}
	node.In = []*ir.Value{b.Op("SequenceLength", n.In[mapInputSequence]), nil}

	inner := &ir.Builder{Module: m, Infer: b.Infer, Prefix: b.Prefix, Class: n.Class, Pos: n.Pos}
	takeItems(inner, n, body, iter)
	inner.Nodes = append(inner.Nodes, body.Nodes...)
	for i, v := range n.Out {
		if v == nil {
			continue
		}
		empty := b.OpA("SequenceEmpty", ir.Attrs{{Name: "dtype", Value: int64(v.Type.Of.Elem)}})
		list := local("list", v.Type)
		loop.Params = append(loop.Params, list)
		loop.Results = append(loop.Results, inner.Op("SequenceInsert", list, body.Results[i]))
		node.In = append(node.In, empty)
		node.Out = append(node.Out, &ir.Value{Name: m.FreshName(v.Name + "_list"), Def: node})
	}
	loop.Nodes = inner.Nodes
	if err := inner.Err(); err != nil {
		return nil, err
	}
	b.Add(node)
	outs := make([]*ir.Value, len(n.Out))
	k := 0
	for i, v := range n.Out {
		if v != nil {
			outs[i] = node.Out[k]
			k++
		}
	}
	return outs, nil
}

// takeItems makes the body read the inputs of n at a position: items of sequences, and tensors as they are.
func takeItems(b *ir.Builder, n *ir.Node, body *ir.Region, pos *ir.Value) {
	for i, p := range body.Params {
		v := n.In[i]
		if v.Type.Kind == ir.Sequence {
			at := &ir.Node{Op: "SequenceAt", Name: b.Module.FreshName(b.Prefix + "at"), In: []*ir.Value{v, pos}, Class: n.Class, Pos: n.Pos}
			at.Out = []*ir.Value{{Name: b.Module.FreshName(p.Name), Def: at}}
			for _, d := range p.Type.Shape { // the symbols of the sizes in the body
				if s, ok := d.Symbol(); ok {
					at.Syms = append(at.Syms, s)
				}
			}
			v = b.Add(at)[0]
		}
		body.ReplaceAll(p, v)
	}
}
