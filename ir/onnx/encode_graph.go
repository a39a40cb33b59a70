package onnx

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// graph writes a region with the given constants as initializers.
func (e *encoder) graph(r *ir.Region, consts []*ir.Value) (*onnxpb.GraphProto, error) {
	g := &onnxpb.GraphProto{}
	for _, v := range consts {
		t, err := tensorProto(v.Name, v.Const)
		if err != nil {
			return nil, fmt.Errorf("constant %q: %w", v.Name, err)
		}
		setDoc(&t.DocString, v)
		g.Initializer = append(g.Initializer, t)
	}
	var err error
	if g.Node, err = e.nodes(r.Nodes); err != nil {
		return nil, err
	}
	g.Input = mapped(r.Params, valueInfo)
	g.Output = mapped(r.Results, valueInfo)
	g.ValueInfo = inside(r)
	return g, nil
}

// inner writes a nested region.
func (e *encoder) inner(r *ir.Region) (*onnxpb.GraphProto, error) {
	var consts []*ir.Value
	for _, v := range (&ir.Func{Body: r}).Consts() {
		if !e.placed[v] {
			e.placed[v] = true
			defer delete(e.placed, v)
			consts = append(consts, v)
		}
	}
	return e.graph(r, consts)
}

// inside returns the known types of values that are neither parameters nor results.
func inside(r *ir.Region) []*onnxpb.ValueInfoProto {
	results := setOf(r.Results)
	var out []*onnxpb.ValueInfoProto
	for _, n := range r.Nodes {
		for _, v := range n.Out {
			if v == nil || results[v] {
				continue
			}
			if info := valueInfo(v); info.Type != nil || info.DocString != nil {
				out = append(out, info)
			}
		}
	}
	return out
}

func valueInfo(v *ir.Value) *onnxpb.ValueInfoProto {
	info := &onnxpb.ValueInfoProto{Name: &v.Name, Type: typeProto(v.Type)}
	setDoc(&info.DocString, v)
	return info
}

func setDoc(field **string, v *ir.Value) {
	if v.Doc != "" {
		*field = &v.Doc
	}
}

func (e *encoder) nodes(list []*ir.Node) ([]*onnxpb.NodeProto, error) {
	out := make([]*onnxpb.NodeProto, len(list))
	for i, n := range list {
		p, err := e.node(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		out[i] = p
	}
	return out, nil
}

func (e *encoder) node(n *ir.Node) (*onnxpb.NodeProto, error) {
	p := &onnxpb.NodeProto{
		OpType:        &n.Op,
		Name:          &n.Name,
		Input:         mapped(n.In, nameOf),
		Output:        mapped(n.Out, nameOf),
		MetadataProps: annotations(n, e.opsets[n.Domain]),
	}
	if n.Domain != "" {
		p.Domain = &n.Domain
	}
	if n.Over != "" {
		p.Overload = &n.Over
	}
	for _, a := range n.Attrs {
		ap, err := e.attr(a)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		p.Attribute = append(p.Attribute, ap)
	}
	for _, r := range n.Regions {
		g, err := e.inner(r)
		if err != nil {
			return nil, err
		}
		g.Name = proto.String(n.Name + "_" + r.Name) // ONNX requires a name
		p.Attribute = append(p.Attribute, &onnxpb.AttributeProto{
			Name: &r.Name, Type: onnxpb.AttributeProto_GRAPH.Enum(), G: g,
		})
	}
	return p, nil
}

// nameOf returns the name of a value in a node's list, or "" if it is omitted.
func nameOf(v *ir.Value) string {
	if v == nil {
		return ""
	}
	return v.Name
}
